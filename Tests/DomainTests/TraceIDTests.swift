import Testing

@testable import Domain

@Suite("Trace ids")
struct TraceIDTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    @Test("A trace id is read from a traceparent header")
    func reads() {
        let id = TraceID(traceparent: "00-\(Self.trace)-00f067aa0ba902b7-01".utf8)
        #expect(id?.text == Self.trace)
        #expect(id == TraceID(Self.trace))
    }

    @Test(
        "A header that isn't a traceparent of version 00 has no trace id",
        arguments: [
            "", "00", "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
            "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
        ]
    )
    func refuses(text: String) {
        #expect(TraceID(traceparent: text.utf8) == nil)
    }

    @Test("A trace id's text keeps leading zeros and is read back")
    func text() {
        let text = "0000000000000001000000000000000a"
        #expect(TraceID(text)?.text == text)
    }

    @Test("Generated trace ids differ")
    func make() {
        let made = Set((0..<100).map { _ in TraceID.make() })
        #expect(made.count == 100)
        #expect(made.allSatisfy { TraceID($0.text) == $0 })
    }
}
