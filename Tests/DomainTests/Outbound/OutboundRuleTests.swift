import Domain
import Testing

@Suite("Addresses to which the service may connect")
struct OutboundRuleTests {
    @Test(
        "Internet addresses are public",
        arguments: ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2a00:1450:4001::1", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8"]
    )
    func publicAddresses(_ text: String) throws {
        #expect(try #require(InternetAddress(text)).isPublic)
    }

    @Test(
        "Addresses of this machine, private networks and multicast groups are not public in any notation",
        arguments: [
            "127.0.0.1", "0.0.0.0", "10.1.2.3", "100.64.0.1", "169.254.169.254", "172.31.255.255", "192.168.1.1",
            "198.19.0.1", "224.0.0.1", "255.255.255.255", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "::1",
            "::", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "fe80::1", "fec0::1", "fc00::1", "fd12::1",
            "ff02::1", "64:ff9b::10.0.0.1", "64:ff9b:1::8.8.8.8", "2002:7f00:1::", "2002:c0a8:101::1",
            "2001:0:1234::1", "2001:db8::1", "2a00::5efe:192.168.1.1", "2a00::200:5efe:10.0.0.1", "100::1",
        ]
    )
    func privateAddresses(_ text: String) throws {
        #expect(try !#require(InternetAddress(text)).isPublic)
        let host = text.contains(":") ? "[\(text)]" : text
        let rejection = #expect(throws: Rejection.self) {
            try OutboundRule.strict.check("https://\(host):8443/x", field: "url")
        }
        #expect(rejection?.field == "url")
    }

    @Test(
        "Only https URLs without credentials are allowed",
        arguments: [
            "", "http://example.com/", "file:///etc/passwd", "ftp://example.com/", "https:/example.com", "https://",
            "https://user@example.com/", "https://user:secret@example.com/", "https://exa mple.com/",
            "https://example.com\\@10.0.0.1/", "https://example.com:0/", "https://example.com:99999/",
            "https://localhost/", "https://LOCALHOST./", "https://a.localhost/", "https://[fe80::1%25eth0]/",
            "https://example.com%2f@x/", "https://例子.中国/", "gopher://example.com", "//example.com",
            "https://" + String(repeating: "a", count: 2_050) + ".com/",
        ]
    )
    func forms(_ url: String) {
        let rejection = #expect(throws: Rejection.self) { try OutboundRule.strict.check(url, field: "url") }
        #expect(rejection?.code == .invalidRequest)
        #expect(rejection?.field == "url")
    }

    @Test("A name is allowed on any port, and each of its addresses is checked")
    func names() throws {
        let url = try OutboundRule.strict.check("https://Hooks.Example.com:8443/a?b=c#d", field: "url")

        #expect(url.host == "hooks.example.com")
        #expect(OutboundRule.strict.admits(try #require(InternetAddress("9.9.9.9")), of: url))
        #expect(!OutboundRule.strict.admits(try #require(InternetAddress("10.0.0.1")), of: url))
        #expect(!OutboundRule.strict.admits(try #require(InternetAddress("::ffff:10.0.0.1")), of: url))
    }

    @Test("An operator's exception allows a host with all its addresses, or a block of addresses, also over http")
    func exceptions() throws {
        let rule = try OutboundRule(privateTargets: "receiver.internal, 10.1.0.0/16, fd00::/8, 192.168.7.7")
        let inside = try #require(InternetAddress("10.1.2.3"))

        let named = try rule.check("http://receiver.internal:8080/hook", field: "url")
        #expect(rule.admits(try #require(InternetAddress("192.168.1.1")), of: named))
        for url in ["http://10.1.255.1/", "https://[::ffff:10.1.0.1]/", "http://[fd00::7]:80/", "https://192.168.7.7"] {
            #expect(throws: Never.self) { try rule.check(url, field: "url") }
        }
        let other = try rule.check("https://example.com/", field: "url")
        #expect(rule.admits(inside, of: other))
        #expect(!rule.admits(try #require(InternetAddress("10.2.0.1")), of: other))
        #expect(throws: Rejection.self) { try rule.check("http://example.com/", field: "url") }
        #expect(throws: Rejection.self) { try rule.check("https://10.2.0.1/", field: "url") }
        #expect(throws: Rejection.self) { try rule.check("https://192.168.7.8/", field: "url") }
    }

    @Test(
        "A setting that is neither a host nor a block is refused",
        arguments: ["10.0.0.0/33", "a_b/c", "http://x", "10.0.0.0/-1", "x/8", "fd00::/129", "a..b"]
    )
    func badSettings(_ text: String) {
        let error = #expect(throws: OutboundRule.UnknownTarget.self) { try OutboundRule(privateTargets: text) }
        #expect(error?.text == text)
    }
}
