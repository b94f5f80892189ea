import Domain
import JSON
import Testing

@testable import Storage

@Suite("Messages for the broker")
struct OutboxTests {
    @Test("Messages of all kinds are read as they were written", arguments: [false, true])
    func roundTrip(_ isSecret: Bool) throws {
        let messages = [
            Make.message(), OutboundMessage("", []),
            OutboundMessage("a/é", [0, 255], isRetained: true),
            OutboundMessage("b", [1], expiresAt: Instant(milliseconds: 0)),
            OutboundMessage("c", [], expiresAt: .max),
            OutboundMessage("d", [1], correlation: []),
            OutboundMessage("e", [1], correlation: [1, 2, 3]),
            OutboundMessage("e", [1], traceparent: "00-4bf9-00f0-01"),
            OutboundMessage("e", [1], correlation: [1], traceparent: "00-4bf9-00f0-02"),
            OutboundMessage(
                "f",
                [UInt8](repeating: 7, count: 70_000),
                isRetained: true,
                expiresAt: Instant(milliseconds: 1_700_000_000_123),
                correlation: [9]
            ),
        ]
        let world = try World()
        let row = try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.outbox.add(messages, by: "status", isSecret: isSecret)
        }
        let entries = try world.store.read { try $0.outbox.entries(by: "status", limit: 10) }
        #expect(entries.map(\.id) == [row])
        #expect(entries.first?.messages == messages)
    }

    @Test("A truncated row causes no trap")
    func cut() {
        let bytes = OutboxCodec.encode([
            Make.message("topic", "payload"), Make.message("other", "more"),
        ])
        for count in 0..<bytes.count { _ = OutboxCodec.decode(Array(bytes.prefix(count))) }
        _ = OutboxCodec.decode([UInt8](repeating: 255, count: 64))
    }

    @Test("No file contains a sealed row in clear; a row that isn't sealed is readable")
    func sealed() throws {
        let world = try World()
        try world.store.arrange(at: Make.now) { (tx) throws in
            _ = try tx.outbox.add([Make.message("t", "canary-sealed-93")], by: "account", isSecret: true)
            _ = try tx.outbox.add([Make.message("t", "canary-open-93")], by: "account", isSecret: false)
            try tx.requests.save(
                "terminal",
                MessageID(trusted: "q"),
                content: [1],
                answer: Array("canary-answer-93".utf8),
                isSecret: true
            )
        }
        try world.store.checkpoint()
        #expect(try !world.holds("canary-sealed-93"))
        #expect(try !world.holds("canary-answer-93"))
        #expect(try world.holds("canary-open-93"))
        let known = try world.store.read { try $0.requests.find("terminal", MessageID(trusted: "q")) }
        #expect(known?.answer == Array("canary-answer-93".utf8))
    }

    @Test("Rows are read oldest first, separately for each worker, until they are deleted")
    func order() throws {
        let world = try World()
        var rows: [Int64] = []
        for number in 0..<5 {
            // The row numbers must grow even though the clock stands still and is then set back.
            rows.append(
                try world.store.arrange(at: Make.at(number > 2 ? -10 : 0)) { (tx) throws in
                    _ = try tx.outbox.add([Make.message()], by: "other", isSecret: false)
                    return try tx.outbox.add([Make.message("\(number)")], by: "status", isSecret: false)
                }
            )
        }
        #expect(rows == rows.sorted() && Set(rows).count == 5)
        let entries = try world.store.read { try $0.outbox.entries(by: "status", limit: 10) }
        #expect(entries.map(\.id) == rows)
        try world.store.arrange(at: Make.now) { try $0.outbox.deleteConfirmed([rows[0], rows[2]]) }
        let left = try world.store.read { (tx) throws in
            (
                try tx.outbox.entries(by: "status", limit: 10), try tx.outbox.depth(of: "status"),
                try tx.outbox.depth(of: "other")
            )
        }
        #expect(left.0.map(\.id) == [rows[1], rows[3], rows[4]] && left.1 == 3 && left.2 == 5)
    }
}
