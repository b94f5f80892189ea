package import Domain
import JSON

/// Outgoing messages; their content and addresses are sealed.
package struct OutgoingMessageTable: TransactionTable {
    let transaction: Transaction
    /// How many due messages are read for each claimed one.
    private static let lookedAtPerClaimed = 10

    /// A due message and its progress.
    package struct Due: Sendable, Equatable {
        /// The message.
        package var message: OutgoingMessage
        /// The number of tries, this one included.
        package var tries: Int
        /// The last state published to its terminal, if any.
        package var told: String?
        /// Why the last try failed, without secrets; nil if none did.
        package var error: String?
        /// When it was created.
        package var createdAt: Instant
    }

    /// Adds a message to be sent; the message sender claims it right after the commit.
    package func add(_ message: OutgoingMessage) throws {
        let due = Due(message: message, tries: 0, createdAt: transaction.now)
        try sql.run(MessageRow.table.insert, MessageRow(due: due, dueAt: transaction.now))
        transaction.gate.hasOutgoingMessage = true
    }

    /// Claims due messages of a channel, oldest first, for `leaseSeconds`, after which a dead process's messages are
    /// tried again.
    ///
    /// Reads ten times as many due messages, so that one sender's flood does not delay the others'. Of several
    /// processes that read the same message, the first gets it.
    package func claim(_ channel: OutgoingMessage.Channel, leaseSeconds: Int64, limit: Int) throws -> [Due] {
        let waiting = try query(
            "channel = $1 AND dueAt <= $2 AND expiresAt > $2 ORDER BY dueAt LIMIT $3",
            channel.rawValue,
            transaction.now,
            limit * Self.lookedAtPerClaimed
        )
        // Messages take turns by terminal, or else by app.
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

    /// Makes all messages due now that this process's slot claimed and that wait for another try, because their claims
    /// are obsolete.
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

    /// Returns whether a message exists and a try is the last one begun, and locks the message.
    package func isAt(_ tries: Int, _ id: MessageID) throws -> Bool {
        try sql.run("UPDATE delivery SET tries = tries WHERE messageId = $1 AND tries = $2", id, tries)
        return try sql.changes == 1
    }

    /// Postpones a message.
    package func postpone(_ id: MessageID, until moment: Instant) throws {
        try sql.run("UPDATE delivery SET dueAt = $1 WHERE messageId = $2", moment, id)
    }

    /// Makes a message due now, for another try at once.
    package func retry(_ id: MessageID) throws {
        try postpone(id, until: transaction.now)
        transaction.gate.hasOutgoingMessage = true
    }

    /// Records why a try failed, in words without secrets.
    package func note(_ id: MessageID, error: String) throws {
        try sql.run("UPDATE delivery SET error = $1 WHERE messageId = $2", error, id)
    }

    /// Records the state that was published to the requesting terminal.
    package func note(_ id: MessageID, told state: String) throws {
        try sql.run("UPDATE delivery SET told = $1 WHERE messageId = $2", state, id)
    }

    /// Deletes a message; returns false if it was already gone.
    package func delete(_ id: MessageID) throws -> Bool {
        try sql.run("DELETE FROM delivery WHERE messageId = $1", id)
        return try sql.changes == 1
    }

    /// Removes and returns at most `limit` expired messages, except those that another process removes.
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

    /// Returns the unsent messages to a user's addresses, oldest first; opens all unsent messages.
    package func unsent(to user: User) throws -> [Due] {
        let addresses = user.messageAddresses
        guard !addresses.isEmpty else { return [] }
        return try query("dummy = 0 ORDER BY createdAt").filter {
            $0.message.app == user.app && addresses.contains($0.message.fullAddress)
        }
    }

    /// Returns a page of unsent messages, newest first, with the moment of their next try; without dummies.
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

    /// Returns the number of unsent messages.
    package func count() throws -> Int64 { try sql.integer("SELECT count(*) FROM delivery WHERE dummy = 0") ?? 0 }

    private func query<each Value: ColumnValue>(_ condition: String, _ values: repeat each Value) throws -> [Due] {
        try sql.rows(of: MessageRow.table, "WHERE \(condition)", repeat each values).map(\.due)
    }
}

/// A message with its progress and the moment of its next try.
struct MessageRow: TableRow {
    var due: OutgoingMessageTable.Due
    var dueAt: Instant
    /// The slot of the process that last claimed it.
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

/// The sealed part of a message's row, as JSON.
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
