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

    @Test("The newest of an address takes the place of its oldest without a whole request")
    func displacesWithinAddress() {
        for name in ["a1", "a2", "a3"] { enter("a", name) }
        enter("b", "b1")

        #expect(enter("a", "a4") != nil)

        #expect(closed.all == ["a1"])
        #expect(places.total == 4)
    }

    @Test("With no place left the oldest of all without a whole request goes") func displacesOverAll() {
        for name in ["a1", "a2", "a3"] { enter("a", name) }
        for name in ["b1", "b2"] { enter("b", name) }

        #expect(enter("c", "c1") != nil)

        #expect(closed.all == ["a1"])
        #expect(places.total == 5)
    }

    @Test("No connection whose request is being answered is displaced; the newest is closed then")
    func sparesTheBusy() throws {
        for name in ["a1", "a2", "a3"] {
            places.isBusy(try #require(enter("a", name)), true)
        }

        #expect(enter("a", "a4") == nil)
        #expect(closed.all.isEmpty)
    }

    @Test("A place that was given back can be had again, and one that went is given back once") func leaves() throws {
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
