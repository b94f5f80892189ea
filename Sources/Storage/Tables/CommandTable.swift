package import Domain
import JSON
import Wire

/// Somebody who asked to be answered when a command's fate is known.
package struct Waiter: Sendable {
    /// The asking terminal.
    package var terminal: TerminalID
    /// The request to be answered.
    package var requestID: MessageID
    /// Where the answer goes.
    package var topic: String
    /// MQTT 5 correlation data to be given back.
    package var correlation: [UInt8]?

    /// Makes a waiter.
    package init(
        terminal: TerminalID,
        requestID: MessageID,
        topic: String,
        correlation: [UInt8]?
    ) {
        self.terminal = terminal
        self.requestID = requestID
        self.topic = topic
        self.correlation = correlation
    }
}

/// Commands and who waits for them.
package struct CommandTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    private static let columns = """
        did, cid, sn, kind, state, data, bytes, actor, appId, createdAt, expiresAt, doneAt, code,
        result, late
        """

    private static func command(_ row: Row) -> Command {
        let actor = EventCodec.decode(row.withBytes(7, text: true) { try? JSONValue.parse($0) })
        var command = Command(
            did: DeviceID(trusted: row.text(0)),
            cid: row.integer(1),
            sn: row.integer(2),
            kind: Command.Kind(rawValue: row.text(3)) ?? .write,
            state: Command.State(rawValue: row.text(4)) ?? .expired,
            data: object(row, 5) ?? [:],
            binary: row.optionalText(6),
            actor: actor ?? .system,
            app: row.optionalText(8).map { AppID(trusted: $0) },
            createdAt: Instant(milliseconds: row.integer(9)),
            expiresAt: Instant(milliseconds: row.integer(10))
        )
        command.doneAt = row.optionalInteger(11).map { Instant(milliseconds: $0) }
        command.code = row.optionalInteger(12)
        command.result = object(row, 13)
        command.isLate = row.bool(14)
        return command
    }

    private static func object(_ row: Row, _ column: Int32) -> JSONObject? {
        guard !row.isNull(column) else { return nil }
        return row.withBytes(column, text: true) { try? JSONValue.parse($0) }?.objectValue
    }

    /// Hands over each command that exists, with its place among those asked for.
    package func load(
        _ keys: [(did: DeviceID, cid: Int64)],
        _ body: (Int, Command) -> Void
    ) throws {
        try sql.query(
            "SELECT \(Self.columns) FROM command WHERE did = $1 AND cid = $2",
            each: keys.indices
        ) {
            $0.add(keys[$1].did.text)
            $0.add(keys[$1].cid)
        } row: {
            body($0, Self.command($1))
        }
    }

    /// A device's commands, newest first.
    package func newest(_ did: DeviceID, limit: Int) throws -> [Command] {
        try sql.query(
            "SELECT \(Self.columns) FROM command WHERE did = $1 ORDER BY cid DESC LIMIT $2"
        ) {
            $0.add(did.text)
            $0.add(limit)
        } row: {
            Self.command($0)
        }
    }

    /// Open commands whose time is over, at most so many.
    package func overdue(limit: Int) throws -> [Command] {
        try sql.query(
            """
            SELECT \(Self.columns) FROM command
            WHERE state IN ('queued', 'sent') AND expiresAt <= $1 ORDER BY expiresAt LIMIT $2
            """
        ) {
            $0.add(transaction.now.milliseconds)
            $0.add(limit)
        } row: {
            Self.command($0)
        }
    }

    /// When the next open command's time is over; nil without one.
    package func nextExpiry() throws -> Instant? {
        try sql.integer(
            "SELECT min(expiresAt) FROM command WHERE state IN ('queued', 'sent')"
        ).map { Instant(milliseconds: $0) }
    }

    /// Open commands that a user gave a device.
    package func open(_ did: DeviceID, by uid: UserID? = nil) throws -> [Command] {
        try sql.query(
            """
            SELECT \(Self.columns) FROM command
            WHERE did = $1 AND state IN ('queued', 'sent') ORDER BY cid
            """
        ) {
            $0.add(did.text)
        } row: {
            Self.command($0)
        }.filter { uid == nil || ($0.actor.kind == .user && $0.actor.id == uid?.text) }
    }

    /// Writes commands, new or changed.
    package func save(_ commands: [Command]) throws {
        try sql.run(
            """
            INSERT INTO command (\(Self.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
            ON CONFLICT (did, cid) DO UPDATE SET
                state = excluded.state, doneAt = excluded.doneAt, code = excluded.code,
                result = excluded.result, late = excluded.late
            """,
            each: commands
        ) { binder, command in
            binder.add(command.did.text)
            binder.add(command.cid)
            binder.add(command.sn)
            binder.add(command.kind.rawValue)
            binder.add(command.state.rawValue)
            binder.add(text: command.data.encoded())
            binder.add(command.binary)
            binder.add(EventCodec.stored(command.actor))
            binder.add(command.app?.text)
            binder.add(command.createdAt.milliseconds)
            binder.add(command.expiresAt.milliseconds)
            binder.add(command.doneAt?.milliseconds)
            binder.add(command.code)
            binder.add(command.result.map { String(decoding: $0.encoded(), as: UTF8.self) })
            binder.add(command.isLate)
        }
    }

    /// Has somebody wait for a command.
    package func wait(_ did: DeviceID, _ cid: Int64, _ waiter: Waiter) throws {
        try sql.run(
            """
            INSERT INTO waiter (did, cid, seq, terminalId, requestId, topic, correlation)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """
        ) {
            $0.add(did.text)
            $0.add(cid)
            $0.add(transaction.stamps.next(transaction.now))
            $0.add(waiter.terminal.text)
            $0.add(waiter.requestID.text)
            $0.add(waiter.topic)
            $0.add(bytes: waiter.correlation)
        }
    }

    /// Takes those who wait for a command off the list.
    package func takeWaiters(_ did: DeviceID, _ cid: Int64) throws -> [Waiter] {
        let waiters = try sql.query(
            """
            SELECT terminalId, requestId, topic, correlation FROM waiter
            WHERE did = $1 AND cid = $2 ORDER BY seq
            """
        ) {
            $0.add(did.text)
            $0.add(cid)
        } row: {
            Waiter(
                terminal: TerminalID(trusted: $0.text(0)),
                requestID: MessageID(trusted: $0.text(1)),
                topic: $0.text(2),
                correlation: $0.optionalBytes(3)
            )
        }
        if !waiters.isEmpty {
            try sql.run("DELETE FROM waiter WHERE did = $1 AND cid = $2") {
                $0.add(did.text)
                $0.add(cid)
            }
        }
        return waiters
    }
}
