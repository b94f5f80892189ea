package import Domain
import JSON

/// Outgoing messages, whose content and addresses are stored encrypted.
package struct OutgoingMessageTable: TransactionTable {
    let transaction: Transaction
    /// The number of due messages that are read for each message that can be claimed.
    private static let lookedAtPerClaimed = 10

    /// An unsent message and its progress.
    package struct Due: Sendable, Equatable {
        /// The message.
        package var message: OutgoingMessage
        /// The number of attempts to send the message, including the present one.
        package var tries: Int
        /// The last state that was published to the terminal that requested the message, if any.
        package var told: String?
        /// Why the last failed attempt failed, without secrets; nil if no attempt has failed.
        package var error: String?
        /// When the message was created.
        package var createdAt: Instant
    }

    /// Adds a message to be sent; the message sender claims it right after the commit.
    package func add(_ message: OutgoingMessage) throws {
        let due = Due(message: message, tries: 0, createdAt: transaction.now)
        try sql.run(MessageRow.table.insert, MessageRow(due: due, dueAt: transaction.now))
        transaction.gate.hasOutgoingMessage = true
    }

    /// Claims due messages of a channel, the oldest first, for `leaseSeconds`.
    ///
    /// When a claim has expired, because its process died, another process sends the message.
    ///
    /// Reads up to ten times as many due messages as it claims, so that many messages of one sender don't delay those
    /// of others. If several processes read the same message, the first of them gets it.
    package func claim(_ channel: OutgoingMessage.Channel, leaseSeconds: Int64, limit: Int) throws -> [Due] {
        let waiting = try query(
            "channel = $1 AND dueAt <= $2 AND expiresAt > $2 ORDER BY dueAt LIMIT $3",
            channel.rawValue,
            transaction.now,
            limit * Self.lookedAtPerClaimed
        )
        // Terminals take turns; so do apps, for messages that no terminal requested.
        let due = FairTurns.first(limit, of: waiting) { row in row.message.origin?.terminal.text ?? row.message.app.text
        }
        let again = transaction.now.adding(seconds: leaseSeconds)
        var claimed: [Due] = []
        try sql.query(
            """
            UPDATE delivery SET tries = tries + 1, dueAt = $1, claimedBy = $2
            WHERE messageId = $3 AND dueAt <= $4 RETURNING tries
            """,
            each: due
        ) {
            (again, transaction.slot.number, $0.message.id, transaction.now)
        } row: { row, columns in
            var row = row
            row.tries = columns.next()
            claimed.append(row)
        }
        return claimed
    }

    /// Makes all messages that this process's slot has claimed due at once, because these claims are obsolete after a
    /// restart.
    package func resume() throws {
        try sql.run(
            "UPDATE delivery SET dueAt = $1 WHERE dueAt > $1 AND tries > 0 AND claimedBy = $2",
            transaction.now,
            transaction.slot.number
        )
    }

    /// Returns an unsent message, or nil.
    package func find(_ id: MessageID) throws -> Due? {
        try query("messageId = $1", id).first
    }

    /// Locks a message, and returns whether it exists and has had exactly `tries` attempts.
    package func isAt(_ tries: Int, _ id: MessageID) throws -> Bool {
        try sql.run("UPDATE delivery SET tries = tries WHERE messageId = $1 AND tries = $2", id, tries)
        return try sql.changes == 1
    }

    /// Postpones the next attempt to send a message.
    package func postpone(_ id: MessageID, until moment: Instant) throws {
        try sql.run("UPDATE delivery SET dueAt = $1 WHERE messageId = $2", moment, id)
    }

    /// Makes a message due now, so that the message sender tries again at once.
    package func retry(_ id: MessageID) throws {
        try postpone(id, until: transaction.now)
        transaction.gate.hasOutgoingMessage = true
    }

    /// Records why an attempt to send a message failed, in words without secrets.
    package func note(_ id: MessageID, error: String) throws {
        try sql.run("UPDATE delivery SET error = $1 WHERE messageId = $2", error, id)
    }

    /// Records the state that was published to the terminal that requested the message.
    package func note(_ id: MessageID, told state: String) throws {
        try sql.run("UPDATE delivery SET told = $1 WHERE messageId = $2", state, id)
    }

    /// Deletes a message; returns false if it was already deleted.
    package func delete(_ id: MessageID) throws -> Bool {
        try sql.run("DELETE FROM delivery WHERE messageId = $1", id)
        return try sql.changes == 1
    }

    /// Deletes and returns at most `limit` expired messages, except for those that another process deletes.
    package func takeExpired(limit: Int) throws -> [Due] {
        let expired = try query("expiresAt <= $1 ORDER BY expiresAt LIMIT $2", transaction.now, limit)
        var removed: [Due] = []
        try sql.query("DELETE FROM delivery WHERE messageId = $1 RETURNING tries", each: expired) {
            $0.message.id
        } row: { row, _ in
            removed.append(row)
        }
        return removed
    }

    /// Returns when the next message of a channel is due, or nil.
    package func nextDue(_ channel: OutgoingMessage.Channel) throws -> Instant? {
        try sql.value("SELECT min(dueAt) FROM delivery WHERE channel = $1", channel.rawValue)
    }

    /// Returns when the next message expires, or nil.
    package func nextExpiry() throws -> Instant? { try sql.value("SELECT min(expiresAt) FROM delivery") }

    /// Returns the unsent messages to a user's addresses, the oldest first; decrypts all unsent messages to find them.
    package func unsent(to user: User) throws -> [Due] {
        let addresses = user.messageAddresses
        guard !addresses.isEmpty else { return [] }
        return try query("dummy = 0 ORDER BY createdAt").filter {
            $0.message.app == user.app && addresses.contains($0.message.fullAddress)
        }
    }

    /// Returns a page of unsent messages, the newest first, each with the time of its next attempt.
    ///
    /// Dummies, which are never sent, are left out.
    package func page(behind place: MessageRecordTable.Place, limit: Int) throws -> [(due: Due, dueAt: Instant)] {
        try sql.rows(
            of: MessageRow.table,
            """
            WHERE dummy = 0 AND (createdAt, messageId) < ($1, $2)
            ORDER BY createdAt DESC, messageId DESC LIMIT $3
            """,
            place.createdAt,
            place.id,
            limit
        ).map { ($0.due, $0.dueAt) }
    }

    /// Returns the number of unsent messages, without dummies.
    package func count() throws -> Int64 { try sql.integer("SELECT count(*) FROM delivery WHERE dummy = 0") ?? 0 }

    private func query<each Value: ColumnValue>(_ condition: String, _ values: repeat each Value) throws -> [Due] {
        try sql.rows(of: MessageRow.table, "WHERE \(condition)", repeat each values).map(\.due)
    }
}

/// An unsent message with its progress and the time of its next attempt.
struct MessageRow: TableRow {
    var due: OutgoingMessageTable.Due
    var dueAt: Instant
    /// The slot of the process that last claimed the message.
    var claimedBy: Int?

    static let table = Table<MessageRow>("delivery")

    static func map(_ column: inout ColumnMapper<MessageRow>) -> MessageRow {
        let content = column.sealed("content") { OutgoingMessageContent.encode($0.due.message) }
        let message = OutgoingMessageContent.decode(
            content ?? [],
            id: column("messageId", \.due.message.id, as: .key),
            channel: column("channel", \.due.message.channel),
            isDummy: column("dummy", \.due.message.isDummy),
            expiresAt: column("expiresAt", \.due.message.expiresAt)
        )
        let due = OutgoingMessageTable.Due(
            message: message,
            tries: column("tries", \.due.tries),
            told: column("told", \.due.told),
            error: column("error", \.due.error),
            createdAt: column("createdAt", \.due.createdAt)
        )
        return MessageRow(due: due, dueAt: column("dueAt", \.dueAt), claimedBy: column("claimedBy", \.claimedBy))
    }
}

/// The encrypted part of a message's row, encoded as JSON.
enum OutgoingMessageContent {
    static func encode(_ message: OutgoingMessage) -> [UInt8] {
        let params = message.params.sorted { $0.key < $1.key }
        return JSONObject([
            ("to", .string(message.to)),
            ("countryCode", message.countryCode.map { .string($0) }),
            ("appId", .string(message.app.text)),
            ("template", .string(message.template.rawValue)),
            ("params", .object(JSONObject(params.map { ($0.key, .string($0.value)) }))),
            ("language", message.language.map { .string($0) }),
            ("terminalId", message.origin.map { .string($0.terminal.text) }),
            ("terminalApp", message.origin.map { .string($0.app.text) }),
            ("requestId", message.origin.map { .string($0.requestID) }),
        ]).encoded()
    }

    static func decode(
        _ bytes: [UInt8],
        id: MessageID,
        channel: OutgoingMessage.Channel,
        isDummy: Bool,
        expiresAt: Instant
    ) -> OutgoingMessage {
        let object = (try? JSONValue.parse(bytes).objectValue) ?? [:]
        func text(_ name: String) -> String? { object[name]?.stringValue }
        let params = object["params"]?.objectValue?.members ?? []
        return OutgoingMessage(
            id: id,
            channel: channel,
            to: text("to") ?? "",
            countryCode: text("countryCode"),
            app: AppID(trusted: text("appId") ?? ""),
            template: text("template").flatMap(OutgoingMessage.Template.init(rawValue:)) ?? .code,
            params: Dictionary(
                params.map { ($0.key, $0.value.stringValue ?? "") },
                uniquingKeysWith: { first, _ in first }
            ),
            language: text("language"),
            expiresAt: expiresAt,
            origin: text("terminalId").map { terminal in
                OutgoingMessage.Origin(
                    terminal: TerminalID(trusted: terminal),
                    app: AppID(trusted: text("terminalApp") ?? ""),
                    requestID: text("requestId") ?? ""
                )
            },
            isDummy: isDummy
        )
    }
}
