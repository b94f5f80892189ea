import Testing

@testable import Console

@Suite("The position of a stream")
struct StreamPositionTests {
    private static let watches: [Watch] = [.overview, .deadLetters, .audit]

    @Test("A position can be restored from an event's id")
    func roundTrip() {
        var position = StreamPosition()
        position[.deadLetters] = 41
        position[.overview] = -7
        let again = StreamPosition(id: position.id)
        #expect(again == position)
        #expect(again[.deadLetters] == 41 && again[.overview] == -7 && again[.audit] == nil)
    }

    @Test("An invalid id gives no position", arguments: ["", "x", "AAAA", "no id at all"])
    func strange(_ id: String) {
        #expect(StreamPosition(id: id)[.deadLetters] == nil)
    }

    @Test("Ended watches are removed from a position")
    func keep() {
        var position = StreamPosition()
        for watch in Self.watches { position[watch] = 1 }
        position.keep([.audit])
        #expect(position[.audit] == 1 && position[.overview] == nil)
    }

    @Test("A watch is read from its text", arguments: watches)
    func terms(_ watch: Watch) {
        #expect(Watch(Substring(watch.text)) == watch)
    }

    @Test(
        "Other texts aren't watches",
        arguments: ["", "secrets", "device", "device:", "connect:a:b", "tap:?"]
    )
    func strangers(_ term: String) {
        #expect(Watch(Substring(term)) == nil)
    }
}
