package import Domain
import Sodium

/// Messages to be published, with one row for all messages of a batch.
package struct OutboxTable: TransactionTable {
    let transaction: Transaction

    /// A row of the outbox: the messages of one batch.
    package struct Entry: Sendable {
        /// The row's id; later batches have larger ids.
        package var id: Int64
        /// The messages, in order.
        package var messages: [OutboundMessage]
    }

    /// Adds messages that a worker will publish; returns the row's id.
    ///
    /// `isSecret` must be true if any of the messages contains a token, code or secret. The row is then encrypted.
    package func add(_ messages: [OutboundMessage], by worker: String, isSecret: Bool) throws -> Int64 {
        let id = transaction.sequence.next(now)
        let bytes = OutboxCodec.encode(messages)
        try sql.run(
            OutboxRow.table.insert,
            OutboxRow(
                id: id,
                worker: worker,
                isSealed: isSecret,
                messages: isSecret ? transaction.key.seal(bytes) : bytes,
                createdAt: now
            )
        )
        return id
    }

    /// Returns a worker's rows that must still be published, the oldest first, starting after `id`.
    ///
    /// If `isKnown` returns true for a row's id, the row's messages are not read. The row counts towards `limit`, but
    /// isn't returned.
    package func entries(
        by worker: String,
        after id: Int64 = 0,
        limit: Int,
        besides isKnown: (Int64) -> Bool = { _ in false }
    ) throws -> [Entry] {
        try sql.query(
            "SELECT id, \(OutboxRow.table.columns) FROM outbox WHERE id > $1 AND worker = $2 ORDER BY id LIMIT $3",
            id,
            worker,
            limit
        ) { row -> Entry? in
            // For a known row, only the id is read, because the row's messages can be large.
            guard !isKnown(row.next()) else { return nil }
            let row = row.nextRow(OutboxRow.self)
            let bytes = row.isSealed ? transaction.key.open(row.messages) : row.messages
            return Entry(id: row.id, messages: bytes.map(OutboxCodec.decode) ?? [])
        }.compactMap(\.self)
    }

    /// A lane's backlog of messages that must still be published.
    ///
    /// A lane is the part of a worker's messages that one thread handles.
    package struct Lag: Sendable, Equatable {
        /// The number of waiting rows.
        package let rows: Int64
        /// The time at which the oldest waiting row was written.
        package let since: Instant
    }

    /// Returns the backlog of each lane that has messages to publish; the keys are the lanes' names.
    package func lags() throws -> [String: Lag] {
        let rows = try sql.query("SELECT worker, count(*), min(createdAt) FROM outbox GROUP BY worker") { row in
            (row.next(String.self), Lag(rows: row.next(Int64.self), since: Instant(milliseconds: row.next(Int64.self))))
        }
        return Dictionary(rows) { first, _ in first }
    }

    /// Returns the number of waiting rows of each lane, and leaves out lanes without waiting rows.
    package func depths() throws -> [String: Int64] { try lags().mapValues(\.rows) }

    /// Returns the `limit` topics with the most waiting messages, and the number of each topic's messages.
    ///
    /// Counts only the messages in the first 1,000 rows of each lane.
    package func topics(limit: Int) throws -> [(topic: String, count: Int)] {
        var counts: [String: Int] = [:]
        for worker in try depths().keys {
            for entry in try entries(by: worker, limit: Self.topicRowsMax) {
                for message in entry.messages { counts[message.topic, default: 0] += 1 }
            }
        }
        let ordered = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return ordered.prefix(limit).map { (topic: $0.key, count: $0.value) }
    }

    private static let topicRowsMax = 1000

    /// Deletes rows after the broker has accepted all of their messages.
    package func deleteConfirmed(_ ids: [Int64]) throws {
        try sql.run("DELETE FROM outbox WHERE id = $1", each: ids) { $0 }
    }

    /// Returns when a worker's oldest row was written, or nil if no row exists.
    package func oldest(of worker: String) throws -> Instant? {
        // The query uses the index to read a single row. Reading every row would read all messages too.
        try sql.value("SELECT createdAt FROM outbox WHERE worker = $1 ORDER BY id LIMIT 1", worker)
    }

    /// Returns the number of a worker's rows.
    package func depth(of worker: String) throws -> Int64 {
        try sql.integer("SELECT count(*) FROM outbox WHERE worker = $1", worker) ?? 0
    }
}

/// The stored messages of one batch.
struct OutboxRow: TableRow {
    var id: Int64
    var worker: String
    /// Whether the messages are encrypted with the server's key.
    var isSealed: Bool
    var messages: [UInt8]
    var createdAt: Instant

    static let table = Table<OutboxRow>("outbox")

    static func map(_ column: inout ColumnMapper<OutboxRow>) -> OutboxRow {
        OutboxRow(
            id: column("id", \.id, as: .key),
            worker: column("worker", \.worker),
            isSealed: column("sealed", \.isSealed),
            messages: column("messages", \.messages),
            createdAt: column("createdAt", \.createdAt)
        )
    }
}

/// The codec that turns the messages of an outbox row into bytes and back.
///
/// Each string in the bytes begins with its length.
enum OutboxCodec {
    private static let retained: UInt8 = 1
    private static let correlated: UInt8 = 2
    private static let expiring: UInt8 = 4
    /// The flag of a message with the same payload as the previous message.
    private static let repeating: UInt8 = 8
    private static let traced: UInt8 = 16

    static func encode(_ messages: [OutboundMessage]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(messages.reduce(0) { $0 + $1.topic.utf8.count + $1.payload.count + 16 })
        var last: [UInt8]?
        for message in messages {
            let isRepeated = message.payload == last
            last = message.payload
            var flags: UInt8 = message.isRetained ? retained : 0
            if message.expiresAt != nil { flags |= expiring }
            if message.correlation != nil { flags |= correlated }
            if message.traceparent != nil { flags |= traced }
            if isRepeated { flags |= repeating }
            bytes.append(flags)
            append(UInt32(message.topic.utf8.count), to: &bytes)
            bytes.append(contentsOf: message.topic.utf8)
            if !isRepeated {
                append(UInt32(message.payload.count), to: &bytes)
                bytes.append(contentsOf: message.payload)
            }
            if let expiresAt = message.expiresAt {
                let moment = UInt64(bitPattern: expiresAt.milliseconds)
                append(UInt32(truncatingIfNeeded: moment), to: &bytes)
                append(UInt32(truncatingIfNeeded: moment >> 32), to: &bytes)
            }
            if let correlation = message.correlation {
                append(UInt32(correlation.count), to: &bytes)
                bytes.append(contentsOf: correlation)
            }
            if let traceparent = message.traceparent {
                append(UInt32(traceparent.utf8.count), to: &bytes)
                bytes.append(contentsOf: traceparent.utf8)
            }
        }
        return bytes
    }

    static func decode(_ bytes: [UInt8]) -> [OutboundMessage] {
        var rest = bytes[...]
        var messages: [OutboundMessage] = []
        var last: [UInt8]?
        while let flags = rest.popFirst(), let topic = piece(&rest),
            let payload = flags & repeating != 0 ? last : piece(&rest).map(Array.init)
        {
            last = payload
            messages.append(
                OutboundMessage(
                    String(decoding: topic, as: UTF8.self),
                    payload,
                    isRetained: flags & retained != 0,
                    expiresAt: moment(flags, &rest),
                    correlation: flags & correlated != 0 ? piece(&rest).map(Array.init) : nil,
                    traceparent: flags & traced != 0 ? piece(&rest).map { String(decoding: $0, as: UTF8.self) } : nil
                )
            )
        }
        return messages
    }

    static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    private static func moment(_ flags: UInt8, _ rest: inout ArraySlice<UInt8>) -> Instant? {
        guard flags & expiring != 0, let low = number(&rest), let high = number(&rest) else { return nil }
        return Instant(milliseconds: Int64(bitPattern: UInt64(high) << 32 | UInt64(low)))
    }

    static func number(_ rest: inout ArraySlice<UInt8>) -> UInt32? {
        guard rest.count >= 4 else { return nil }
        defer { rest = rest.dropFirst(4) }
        return rest.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    static func piece(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let count = number(&rest), rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}
