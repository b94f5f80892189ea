import Testing

@testable import Certificates

@Suite struct ServerNameTests {
    @Test(
        "Names and addresses are taken",
        arguments: [
            ("Lamps.Example.com", "lamps.example.com"), ("localhost", "localhost"), ("::1", "::1"),
            ("192.0.2.7", "192.0.2.7"), ("*.example.com", "*.example.com"), ("my_host", "my_host"),
        ]
    )
    func taken(_ text: String, _ name: String) {
        #expect(ServerName(text)?.text == name)
    }

    @Test(
        "What is no name is not taken",
        arguments: [
            "", ".", "a..b", "-a.b", "a-.b", "https://a.b", "a.b:8883", "a b", "1.2.3", "300.1.1.1",
            "*", "*.com",
            "a.*.com", "ü.example", String(repeating: "a", count: 64), "[::1]",
        ]
    )
    func refused(_ text: String) {
        #expect(ServerName(text) == nil)
    }
}
