import Testing

@testable import Certificates

@Suite struct ServerNameTests {
    @Test(
        "Valid names and addresses are accepted",
        arguments: [
            ("Lamps.Example.com", "lamps.example.com"), ("localhost", "localhost"), ("::1", "::1"),
            ("192.0.2.7", "192.0.2.7"), ("*.example.com", "*.example.com"), ("my_host", "my_host"),
            ("lamps.example.com.", "lamps.example.com"), ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ]
    )
    func taken(_ text: String, _ name: String) {
        #expect(ServerName(text)?.text == name)
    }

    @Test(
        "An invalid name is refused with the reason and a correction",
        arguments: [
            ("https://lamps.example.com", "URL"), ("lamps.example.com/path", "URL"),
            ("bücher.example", "idn2 bücher.example"), ("lamps.example.com:8883", "without a port"),
            ("[::1]", "brackets"), ("*.com", "star"), ("a b", "letters"),
        ]
    )
    func faults(_ text: String, _ word: String) {
        #expect(ServerName(text) == nil)
        #expect(ServerName.fault(of: text).contains(word))
    }

    @Test(
        "Texts that aren't names are refused",
        arguments: [
            "", ".", "..", "a.b..", "1.2.3.", "a..b", "-a.b", "a-.b", "https://a.b", "a.b:8883",
            "a b", "1.2.3", "300.1.1.1",
            "*", "*.com",
            "a.*.com", "ü.example", String(repeating: "a", count: 64), "[::1]",
        ]
    )
    func refused(_ text: String) {
        #expect(ServerName(text) == nil)
    }
}
