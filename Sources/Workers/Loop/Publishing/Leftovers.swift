import Domain
import Storage

/// The rows that a previous run left in the outbox.
///
/// Of the retained messages on a topic, only the last is still valid. If an earlier one were published again, users
/// would see an old status.
struct Leftovers {
    private struct Place: Comparable {
        var row: Int64
        var index: Int

        static func < (left: Place, right: Place) -> Bool { (left.row, left.index) < (right.row, right.index) }
    }

    /// The position of the last retained message on each topic.
    private var last: [String: Place] = [:]
    private var leftOut = 0
    /// The number of rows that were left in the outbox.
    private(set) var rows = 0

    private static let page = 100

    /// Creates an empty set of leftovers.
    init() {}

    /// Reads all rows that the lane with this name left in the outbox.
    init(of worker: String, in tx: Transaction) throws {
        var after: Int64 = 0
        while true {
            let entries = try tx.outbox.entries(by: worker, after: after, limit: Self.page)
            for entry in entries { remember(entry) }
            rows += entries.count
            guard entries.count == Self.page, let row = entries.last?.id else { return }
            after = row
        }
    }

    private mutating func remember(_ entry: OutboxTable.Entry) {
        for (index, message) in entry.messages.enumerated() where message.isRetained {
            last[message.topic] = Place(row: entry.id, index: index)
        }
    }

    /// Returns a row's messages that are still valid.
    mutating func validMessages(of entry: OutboxTable.Entry) -> [OutboundMessage] {
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

    /// Returns the number of messages left out since the last call.
    mutating func takeLeftOut() -> Int { exchange(&leftOut, with: 0) }
}
