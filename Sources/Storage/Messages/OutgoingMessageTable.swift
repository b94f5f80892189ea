package import Domain
import JSON

/// Outgoing messages, whose content and addresses are stored encrypted.
package struct OutgoingMessageTable: TransactionTable {
    let transaction: Transaction
    /// How many due messages are read for each message that will be claimed.
    private static let lookedAtPerClaimed = 10

    /// An unsent message and its progress.
    package struct Due: Sendable, Equatable {
        /// The message.
        package var message: OutgoingMessage
        /// The number of attempts to send the message, including the current one.
        package var tries: Int
        /// The last state published to the requesting terminal, or nil if no state was published.
        package var told: String?
        /// Why the last failed attempt failed, without secrets, or nil if no attempt failed.
        package var error: String?
        /// When the message was created.
        package var createdAt: Instant
    }

    /// Adds a message to be sent, by default right after the commit.
    package func add(_ message: OutgoingMessage, dueAt: Instant? = nil) throws {
        let due = Due(message: message, tries: 0, createdAt: now)
        try sql.run(MessageRow.table.insert, MessageRow(due: due, dueAt: dueAt ?? now))
        transaction.gate.hasOutgoingMessage = true
    }

    /// Claims at most `limit` due messages of a channel for `leaseSeconds` seconds, beginning with those due longest.
    ///
    /// When a claim expires because its process died, another process sends the message. For each message to claim, up
    /// to ten due messages are read. Among these messages, one message of each requester is claimed before a second
    /// message of any requester. So one requester's many messages hardly delay the messages of other requesters. Each
    /// message goes to only one process.
    package func claim(_ channel: OutgoingMessage.Channel, leaseSeconds: Int64, limit: Int) throws -> [Due] {
        let waiting = try query(
            "channel = $1 AND dueAt <= $2 AND expiresAt > $2 ORDER BY dueAt LIMIT $3",
            channel.rawValue,
            now,
            limit * Self.lookedAtPerClaimed
        )
        // The terminals that requested the messages take turns. For a message that no terminal requested, the message's
        // app takes the turn.
        let due = FairTurns.first(limit, of: waiting) { row in row.message.origin?.terminal.text ?? row.message.app.text
        }
        let again = now.adding(seconds: leaseSeconds)
        var claimed: [Due] = []
        try sql.query(
            """
            UPDATE delivery SET tries = tries + 1, dueAt = $1, claimedBy = $2
            WHERE messageId = $3 AND dueAt <= $4 RETURNING tries
            """,
            each: due
        ) {
            (again, transaction.slot.number, $0.message.id, now)
        } row: { row, columns in
            var row = row
            row.tries = columns.next()
            claimed.append(row)
        }
        return claimed
    }

    /// Makes messages due at once if this process's slot claimed them before a restart.
    package func resume() throws {
        try sql.run(
            "UPDATE delivery SET dueAt = $1 WHERE dueAt > $1 AND tries > 0 AND claimedBy = $2",
            now,
            transaction.slot.number
        )
    }

    /// Returns an unsent message; nil if there is no such message.
    package func find(_ id: MessageID) throws -> Due? {
        try query("messageId = $1", id).first
    }

    /// Locks a message, and returns whether it exists and has had exactly `tries` attempts.
    package func isAt(_ tries: Int, _ id: MessageID) throws -> Bool {
        try sql.run("UPDATE delivery SET tries = tries WHERE messageId = $1 AND tries = $2", id, tries)
        return try sql.changes == 1
    }

    /// Returns whether a message still exists and has had exactly `tries` attempts.
    package func isDue(_ tries: Int, _ id: MessageID) throws -> Bool {
        try sql.integer("SELECT count(*) FROM delivery WHERE messageId = $1 AND tries = $2", id, tries) == 1
    }

    /// Postpones the next attempt to send a message.
    package func postpone(_ id: MessageID, until moment: Instant) throws {
        try sql.run("UPDATE delivery SET dueAt = $1 WHERE messageId = $2", moment, id)
    }

    /// Makes a message due now, so that the message sender tries again at once.
    package func retry(_ id: MessageID) throws {
        try postpone(id, until: now)
        transaction.gate.hasOutgoingMessage = true
    }

    /// Records why an attempt to send a message failed; `error` contains no secrets.
    package func note(_ id: MessageID, error: String) throws {
        try sql.run("UPDATE delivery SET error = $1 WHERE messageId = $2", error, id)
    }

    /// Records the state that was published to the terminal that requested the message.
    package func note(_ id: MessageID, told state: String) throws {
        try sql.run("UPDATE delivery SET told = $1 WHERE messageId = $2", state, id)
    }

    /// Deletes a message; returns false if it was already deleted.
    package func delete(_ id: MessageID) throws -> Bool {
        try sql.rowsChanged("DELETE FROM delivery WHERE messageId = $1", id) == 1
    }

    /// Returns a notification's unsent push to a terminal, or nil if there isn't one.
    package func push(of notification: NotificationID, to terminal: TerminalID) throws -> Due? {
        try query("terminalId = $1", terminal).first { $0.message.push?.notification == notification }
    }

    /// Deletes the unsent pushes to a terminal that lost its session or address.
    package func dropPushes(to terminal: TerminalID) throws {
        try sql.run("DELETE FROM delivery WHERE terminalId = $1", terminal)
    }

    /// Deletes and returns expired messages, but skips messages that another process is deleting.
    ///
    /// Locks the users to whom the pushes among these messages are sent.
    package func takeExpired(limit: Int) throws -> [Due] {
        let expired = try transaction.lock {
            try query("expiresAt <= $1 ORDER BY expiresAt LIMIT $2", now, limit)
        } naming: {
            (users: $0.compactMap(\.message.push?.address.uid), devices: [])
        }
        var removed: [Due] = []
        try sql.query("DELETE FROM delivery WHERE messageId = $1 RETURNING tries", each: expired) {
            $0.message.id
        } row: { row, _ in
            removed.append(row)
        }
        return removed
    }

    /// Returns when a channel's next message is due, or nil if the channel has no messages.
    package func nextDue(_ channel: OutgoingMessage.Channel) throws -> Instant? {
        try sql.value("SELECT min(dueAt) FROM delivery WHERE channel = $1", channel.rawValue)
    }

    /// Returns when the next message expires, or nil if there are no messages.
    package func nextExpiry() throws -> Instant? { try sql.value("SELECT min(expiresAt) FROM delivery") }

    /// Returns a user's unsent emails and text messages, oldest first.
    ///
    /// Decrypts all users' unsent emails and text messages, because their addresses are encrypted.
    package func unsent(to user: User) throws -> [Due] {
        let addresses = user.messageAddresses
        guard !addresses.isEmpty else { return [] }
        return try query("dummy = 0 AND channel <> 'push' ORDER BY createdAt").filter {
            $0.message.app == user.app && addresses.contains($0.message.fullAddress)
        }
    }

    /// Returns unsent messages, newest first, each with the time of its next attempt.
    ///
    /// Leaves out messages that are only reported as sent (`isDummy`).
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

    /// Counts the unsent messages, except messages that are only reported as sent (`isDummy`).
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
        let row = MessageRow(due: due, dueAt: column("dueAt", \.dueAt), claimedBy: column("claimedBy", \.claimedBy))
        // The column is used only to find a terminal's pushes.
        let _: TerminalID? = column("terminalId") { $0.due.message.push?.address.terminal }
        return row
    }
}

/// The encrypted part of a message's row, encoded as JSON.
enum OutgoingMessageContent {
    static func encode(_ message: OutgoingMessage) -> [UInt8] {
        JSONObject([
            ("to", .string(message.to)),
            ("countryCode", message.countryCode.map { .string($0) }),
            ("appId", .string(message.app.text)),
            ("template", .string(message.template.rawValue)),
            ("params", .object(JSONObject(texts: message.params))),
            ("language", message.language.map { .string($0) }),
            ("terminalId", message.origin.map { .string($0.terminal.text) }),
            ("terminalApp", message.origin.map { .string($0.app.text) }),
            ("requestId", message.origin.map { .string($0.requestID) }),
            ("push", message.push.map { .object(encode($0)) }),
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
        var message = OutgoingMessage(
            id: id,
            channel: channel,
            to: text("to") ?? "",
            countryCode: text("countryCode"),
            app: AppID(trusted: text("appId") ?? ""),
            template: text("template").flatMap(OutgoingMessage.Template.init(rawValue:)) ?? .code,
            params: object["params"]?.objectValue?.texts ?? [:],
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
        message.push = object["push"]?.objectValue.map { push($0, of: message) }
        return message
    }

    private static func encode(_ push: OutgoingPush) -> JSONObject {
        JSONObject([
            ("uid", .string(push.address.uid.text)), ("terminalId", .string(push.address.terminal.text)),
            ("kind", .string(push.address.kind.rawValue)), ("p256dh", push.address.keys.map { .string($0.p256dh) }),
            ("auth", push.address.keys.map { .string($0.auth) }), ("sandbox", .bool(push.address.isSandbox)),
            ("notificationId", push.notification.map { .string($0.text) }),
            ("payload", .string(String(decoding: push.payload, as: UTF8.self))),
        ])
    }

    private static func push(_ object: JSONObject, of message: OutgoingMessage) -> OutgoingPush {
        func text(_ name: String) -> String? { object[name]?.stringValue }
        return OutgoingPush(
            to: PushAddress(
                message.to,
                kind: text("kind").flatMap(PushKind.init(rawValue:)) ?? .gateway,
                keys: text("p256dh").map { PushAddress.Keys(p256dh: $0, auth: text("auth") ?? "") },
                isSandbox: object["sandbox"]?.boolValue ?? false,
                at: TerminalID(trusted: text("terminalId") ?? ""),
                of: UserID(trusted: text("uid") ?? ""),
                app: message.app,
                since: Instant(milliseconds: 0)
            ),
            of: text("notificationId").map { NotificationID(trusted: $0) },
            payload: Array((text("payload") ?? "").utf8)
        )
    }
}
