import Testing

@testable import Service

@Suite struct BannerTests {
    @Test(
        "Each address in the banner can be opened",
        arguments: [
            ("0.0.0.0", "mqtt://127.0.0.1:1883", "127.0.0.1"), ("::", "mqtt://[::1]:1883", "::1"),
            ("::1", "mqtt://[::1]:1883", "::1"), ("192.0.2.7", "mqtt://192.0.2.7:1883", "192.0.2.7"),
            ("localhost", "mqtt://localhost:1883", "localhost"),
        ]
    )
    func addresses(_ host: String, _ url: String, _ reachable: String) {
        #expect(Banner.url("mqtt", host, port: 1883) == url)
        #expect(Banner.reachable(host) == reachable)
    }
}
