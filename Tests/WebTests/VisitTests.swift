import Synchronization
import Testing

@testable import Web

@Suite("Limits of page visits")
struct VisitTests {
    @Test("Each visitor has a limit per minute, and the full limit in the next minute")
    func limit() {
        let clock = Clock()
        let visits = VisitLimit(perMinute: 3) { clock.seconds }

        #expect((0..<4).map { _ in visits.admit("a") } == [true, true, true, false])
        #expect(visits.admit("b"))

        clock.seconds = 60
        #expect(visits.admit("a"))
    }

    @Test("Visitors beyond the number counted separately share one count")
    func crowd() {
        let visits = VisitLimit(perMinute: 1, visitorsMax: 2) { 0 }

        let admitted = (0..<100).filter { visits.admit("visitor \($0)") }.count

        #expect(admitted == 12)
    }

    @Test(
        "An IPv6 network of one household is one visitor, and each IPv4 address is one",
        arguments: [
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2:ffff::1", true),
            ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
            ("192.0.2.1", "192.0.2.2", false),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false),
            ("nonsense", "nonsense", true), ("nonsense", "more nonsense", false),
        ]
    )
    func households(one: String, other: String, isSame: Bool) {
        #expect((WebContext.household(one) == WebContext.household(other)) == isSame)
    }

    @Test(
        "A proxy on this machine is recognized even if a dual-stack listener reports IPv4 addresses in IPv6 form",
        arguments: [
            ("127.0.0.1", true), ("::1", true), ("::ffff:127.0.0.1", true), ("::FFFF:127.0.0.1", true),
            ("::ffff:192.0.2.1", false), ("127.0.0.2", false), ("::ffff:7f00:1", false),
        ]
    )
    func proxies(_ address: String, isLocal: Bool) {
        #expect(LocalPeer.isLocal(address) == isLocal)
    }
}

/// A clock that stands still until a test moves it.
private final class Clock: Sendable {
    private let state = Mutex<Int64>(0)
    var seconds: Int64 {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
