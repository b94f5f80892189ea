/// A position in the event log, after one entry and before the next.
///
/// The log's rows contain entries, and are ordered by transaction and then by number. A position within a row is stored
/// as the number of entries that follow it in this row. After the row's last entry, this number is always 0, no matter
/// how many entries the row has.
package struct EventCursor: Hashable, Sendable {
    /// The number of the transaction that wrote the row.
    package var xid: Int64
    /// The row's number.
    package var seq: Int64
    /// How many entries of the row follow this position.
    package var left: Int

    /// Makes a cursor.
    package init(xid: Int64, seq: Int64, left: Int = 0) {
        (self.xid, self.seq, self.left) = (xid, seq, left)
    }

    /// The position before the first entry of the log.
    package static let start = EventCursor(xid: 0, seq: 0)

    /// The cursor as text: at most 48 characters of `[0-9a-z-]`.
    package var text: String {
        "\(String(xid, radix: 36))-\(String(seq, radix: 36))-\(String(left, radix: 36))"
    }

    /// The time at which the row was written.
    ///
    /// The row's number contains this time, in microseconds since 1970.
    package var writtenAt: Instant { Instant(milliseconds: seq / 1_000) }

    /// Parses a cursor's text, or returns nil for any other string.
    package init?(_ text: String) {
        guard text.utf8.count <= 48 else { return nil }
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0, radix: 36) ?? -1 }
        guard numbers.count == 3, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        self.init(xid: numbers[0], seq: numbers[1], left: Int(numbers[2]))
        guard self.text == text else { return nil }
    }
}

extension EventCursor: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        (left.xid, left.seq, -left.left) < (right.xid, right.seq, -right.left)
    }
}
