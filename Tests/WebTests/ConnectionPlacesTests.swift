import Synchronization
import Testing

@testable import Web

@Suite struct ConnectionPlacesTests {
    private let places = ConnectionPlaces("test", ListenerLimits(connections: 5, perAddress: 3, headerSeconds: 10))
    private let closed = Closed()

    /// The names of the connections that were closed, in order.
    private final class Closed: Sendable {
        private let names = Mutex<[String]>([])
        func note(_ name: String) { names.withLock { $0.append(name) } }
        var all: [String] { names.withLock { $0 } }
    }

    @discardableResult
    private func enter(_ address: String, _ name: String = "") -> Int? {
        places.enter(address) { [closed] in closed.note(name) }
    }

    @Test("An address's newest connection replaces its oldest one without a complete request")
    func displacesWithinAddress() {
        for name in ["a1", "a2", "a3"] { enter("a", name) }
        enter("b", "b1")

        #expect(enter("a", "a4") != nil)

        #expect(closed.all == ["a1"])
        #expect(places.total == 4)
    }

    @Test("With no place left, the oldest connection without a complete request is closed") func displacesOverAll() {
        for name in ["a1", "a2", "a3"] { enter("a", name) }
        for name in ["b1", "b2"] { enter("b", name) }

        #expect(enter("c", "c1") != nil)

        #expect(closed.all == ["a1"])
        #expect(places.total == 5)
    }

    @Test("No connection whose request is being answered is closed; the newest is closed in that case")
    func sparesTheBusy() throws {
        for name in ["a1", "a2", "a3"] {
            places.isBusy(try #require(enter("a", name)), true)
        }

        #expect(enter("a", "a4") == nil)
        #expect(closed.all.isEmpty)
    }

    @Test("A returned place can be taken again, and the place of a closed connection is returned once")

    func leaves() throws {
        let first = try #require(enter("a", "a1"))
        enter("a", "a2")
        enter("a", "a3")
        enter("a", "a4")

        places.leave(first)
        places.leave(first)

        #expect(places.total == 3)
        #expect(enter("b") != nil)
        #expect(enter("b") != nil)
        #expect(places.total == 5)
    }
}
