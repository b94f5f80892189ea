import Storage
import Wire

/// What a life before left in the outbox: of what the broker keeps, only the last word on a topic still
/// has sense.
///
/// Some of it the broker may have taken already: said again, a user would see statuses go back.
struct Leftovers {
    private struct Place: Comparable {
        var row: Int64
        var index: Int

        static func < (left: Place, right: Place) -> Bool {
            (left.row, left.index) < (right.row, right.index)
        }
    }

    /// Where the last word on each topic is.
    private var last: [String: Place] = [:]
    private var leftOut = 0
    /// How many rows there are.
    private(set) var rows = 0

    private static let page = 100

    /// Nothing is left.
    init() {}

    /// Looks through all that is left of a worker.
    init(of worker: WorkerName, in tx: Transaction) throws {
        var after: Int64 = 0
        while true {
            let entries = try tx.outbox.owed(by: worker.rawValue, after: after, limit: Self.page)
            for entry in entries { note(entry) }
            rows += entries.count
            guard entries.count == Self.page, let row = entries.last?.id else { return }
            after = row
        }
    }

    private mutating func note(_ entry: OutboxTable.Entry) {
        for (index, message) in entry.messages.enumerated() where message.isRetained {
            last[message.topic] = Place(row: entry.id, index: index)
        }
    }

    /// The messages of a row that still have sense.
    mutating func take(_ entry: OutboxTable.Entry) -> [OutboundMessage] {
        guard !last.isEmpty else { return entry.messages }
        var messages: [OutboundMessage] = []
        for (index, message) in entry.messages.enumerated() {
            let place = Place(row: entry.id, index: index)
            if message.isRetained, let newest = last[message.topic], place < newest {
                leftOut += 1
            } else {
                messages.append(message)
            }
        }
        return messages
    }

    /// How many were left out since the last time.
    mutating func takeLeftOut() -> Int {
        defer { leftOut = 0 }
        return leftOut
    }
}
