import Testing

@testable import Console

@Suite("The position of a stream")
struct StreamPositionTests {
    private static let watches: [Watch] = [.overview, .deadLetters, .audit]

    @Test("comes back from the id of an event")
    func roundTrip() {
        var position = StreamPosition()
        position[.deadLetters] = 41
        position[.overview] = -7
        let again = StreamPosition(id: position.id)
        #expect(again == position)
        #expect(again[.deadLetters] == 41 && again[.overview] == -7 && again[.audit] == nil)
    }

    @Test("knows nothing where the id is none", arguments: ["", "x", "AAAA", "no id at all"])
    func strange(_ id: String) {
        #expect(StreamPosition(id: id)[.deadLetters] == nil)
    }

    @Test("forgets what is no longer watched")
    func keep() {
        var position = StreamPosition()
        for watch in Self.watches { position[watch] = 1 }
        position.keep([.audit])
        #expect(position[.audit] == 1 && position[.overview] == nil)
    }

    @Test("is of things that have a term", arguments: watches)
    func terms(_ watch: Watch) {
        #expect(Watch(Substring(watch.text)) == watch)
    }

    @Test(
        "is of nothing else",
        arguments: ["", "secrets", "device", "device:", "connect:a:b", "tap:?"]
    )
    func strangers(_ term: String) {
        #expect(Watch(Substring(term)) == nil)
    }
}
