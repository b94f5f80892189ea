import TestKit
import Testing

@testable import Gate

@Suite("Source addresses")
struct SourceAddressTests {
    @Test(
        "An IPv4 address is counted as itself and an IPv6 address as its /64; loopback addresses are not counted",
        arguments: [
            ("192.0.2.7", "192.0.2.7"), ("127.0.0.1", nil), ("127.0.0.2", "127.0.0.2"), ("::1", nil),
            ("::ffff:127.0.0.1", nil), ("::ffff:192.0.2.7", "192.0.2.7"), ("::ffff:127.9.9.9", "127.9.9.9"),
            ("2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"), ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
            ("2001:db8::1", "2001:db8::/64"), ("fe80::1%eth0", "fe80::/64"), ("::2", "::/64"), ("", nil),
            ("somewhere", "somewhere"),
        ] as [(String, String?)]
    )
    func counted(address: String, expected: String?) {
        #expect(SourceAddress(address)?.text == expected)
    }
}
