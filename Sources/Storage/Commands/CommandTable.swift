package import Batching
package import Domain

/// Commands: those that wait for the device, and the log of the finished ones.
package struct CommandTable: TransactionTable {
    let transaction: Transaction

    /// Passes to `body` each of the commands that exists, with the index of its key in `keys`.
    package func load(
        _ keys: [(did: DeviceID, cid: Int64)],
        _ body: (Int, Command) -> Void
    ) throws {
        try sql.query(Command.table.find, each: keys.indices) {
            (keys[$0].did, keys[$0].cid)
        } row: {
            body($0, $1.nextRow())
        }
    }

    /// Returns one command, or nil.
    package func find(_ did: DeviceID, _ cid: Int64) throws -> Command? {
        var found: Command?
        try load([(did, cid)]) { found = $1 }
        return found
    }

    /// Returns a device's commands, newest first.
    package func newest(_ did: DeviceID, limit: Int) throws -> [Command] {
        try sql.rows(of: Command.table, "WHERE did = $1 ORDER BY cid DESC LIMIT $2", did, limit)
    }

    /// Returns a device's commands with numbers below `cid`, newest first.
    package func page(_ did: DeviceID, before cid: Int64, limit: Int) throws -> [Command] {
        try sql.rows(of: Command.table, "WHERE did = $1 AND cid < $2 ORDER BY cid DESC LIMIT $3", did, cid, limit)
    }

    /// Returns a device's commands that were accepted at or before a moment, newest first.
    package func newest(_ did: DeviceID, until moment: Instant, limit: Int) throws -> [Command] {
        try sql.rows(
            of: Command.table,
            "WHERE did = $1 AND createdAt <= $2 ORDER BY createdAt DESC, cid DESC LIMIT $3",
            did,
            moment,
            limit
        )
    }

    /// Returns at most `limit` open commands whose deadline has passed.
    package func overdue(limit: Int) throws -> [Command] {
        try sql.rows(
            of: Command.table,
            "WHERE state IN ('queued', 'sent') AND expiresAt <= $1 ORDER BY expiresAt LIMIT $2",
            transaction.now,
            limit
        )
    }

    /// Returns the earliest deadline of all open commands, or nil.
    package func nextExpiry() throws -> Instant? {
        try sql.value(
            "SELECT min(expiresAt) FROM command WHERE state IN ('queued', 'sent')"
        )
    }

    /// Returns the number of open commands by state.
    package func openCounts() throws -> [(state: String, count: Int64)] {
        try sql.query(
            """
            SELECT state, count(*) FROM command WHERE state IN ('queued', 'sent')
            GROUP BY state ORDER BY state
            """
        ) {
            ($0.next(), $0.next())
        }
    }

    /// Returns a device's open commands, in the order of their numbers.
    package func open(_ did: DeviceID) throws -> [Command] {
        try load(open(did, Self.queued) + open(did, Self.sent)).sorted { $0.cid < $1.cid }
    }

    // Each statement names one state as a literal, so that the partial index suffices. With a list of states the engine
    // builds a table in memory each time, which took a tenth of the time for handling a command. The statements order
    // by `cid`, because otherwise the engine uses an index by age and reads all commands that the device ever had. A
    // test checks which index the engine uses.
    static let queued = "SELECT cid FROM command WHERE did = $1 AND state = 'queued' ORDER BY cid"
    static let sent = "SELECT cid FROM command WHERE did = $1 AND state = 'sent' ORDER BY cid"
    static let firstQueued = "SELECT min(cid) FROM command WHERE did = $1 AND state = 'queued'"
    static let firstSent = "SELECT min(cid) FROM command WHERE did = $1 AND state = 'sent'"

    private func open(_ did: DeviceID, _ query: String) throws -> [(did: DeviceID, cid: Int64)] {
        try sql.query(query, did) {
            (did: did, cid: $0.next())
        }
    }

    private func load(_ keys: [(did: DeviceID, cid: Int64)]) throws -> [Command] {
        var commands: [Command] = []
        try load(keys) { commands.append($1) }
        return commands
    }

    /// Stores new or changed commands.
    package func save(_ commands: [Command]) throws {
        try transaction.requireLocks(of: commands.map(\.did))
        try sql.run(Command.table.upsert, each: commands)
    }

    /// Updates existing commands.
    package func update(_ commands: [Command]) throws {
        try transaction.requireLocks(of: commands.map(\.did))
        try sql.run(Command.table.update, each: commands)
    }

    // MARK: Waiting commands

    /// Returns the queued commands of a device, in the order of their numbers.
    package func waiting(_ did: DeviceID) throws -> [Command] {
        try load(open(did, Self.queued))
    }

    /// Returns commands that a device may have missed: they were sent at or before a moment, and have neither been
    /// answered nor expired.
    ///
    /// At most the newest `limit` of these commands are returned, in the order of their numbers.
    ///
    /// Commands that were sent in the future by the present clock are included: they were sent before the clock was set
    /// back.
    package func missed(_ did: DeviceID, by moment: Instant, limit: Int) throws -> [Command] {
        let now = transaction.now
        // The clock of the process that sent a command may be ahead of this one. Sending a command too often does no
        // harm: devices ignore repeated commands.
        let moment =
            sql.hasOtherWriters ? moment.adding(milliseconds: Instant.clocksApartMax) : moment
        return try load(open(did, Self.sent))
            .filter {
                let sentAt = $0.sentAt ?? $0.createdAt
                return (sentAt <= moment || sentAt > now) && !$0.isOver(at: now)
            }
            .suffix(limit)
    }

    /// Returns whether any command is queued for a device.
    package func hasWaiting(_ did: DeviceID) throws -> Bool { try sql.integer(Self.firstQueued, did) != nil }

    /// Returns the number of queued commands that haven't expired, for each device that has such commands.
    package func queuedCounts(_ dids: some Collection<DeviceID>) throws -> [DeviceID: Int] {
        var counts: [DeviceID: Int] = [:]
        try sql.query(
            """
            SELECT count(*) FROM command WHERE did = $1 AND state = 'queued' AND expiresAt > $2
            """,
            each: dids.indices
        ) {
            (dids[$0], transaction.now)
        } row: {
            let count = $1.next(Int.self)
            if count > 0 { counts[dids[$0]] = count }
        }
        return counts
    }

    /// Returns the number of a device's commands that were sent and have no answer yet.
    package func sentCount(_ did: DeviceID) throws -> Int {
        Int(try sql.integer("SELECT count(*) FROM command WHERE did = $1 AND state = 'sent'", did) ?? 0)
    }

    /// Requests that the control worker send waiting commands to devices; skips devices without waiting commands.
    ///
    /// A dispatch request can wait for its device to subscribe, since the broker would drop commands until then. A new
    /// command doesn't make a waiting dispatch request due earlier; only a message from the device does.
    package func requestDispatches(_ dispatches: [DispatchRequest]) throws {
        try transaction.requireLocks(of: dispatches.map(\.did))
        try sql.run(
            """
            INSERT INTO dispatch (did, at, sentBefore) SELECT $1, $2, $3
            WHERE (\(Self.firstQueued)) IS NOT NULL
                OR ($3 IS NOT NULL AND (\(Self.firstSent)) IS NOT NULL)
            ON CONFLICT (did) DO UPDATE SET
                at = CASE WHEN excluded.at < dispatch.at AND (excluded.sentBefore IS NOT NULL
                        OR dispatch.at > excluded.at + \(DispatchRequest.aheadMilliseconds))
                    THEN excluded.at ELSE dispatch.at END,
                sentBefore = CASE WHEN excluded.sentBefore IS NULL
                        OR excluded.sentBefore < dispatch.sentBefore
                    THEN dispatch.sentBefore ELSE excluded.sentBefore END
            """,
            each: dispatches
        ) { ($0.did, moment(of: $0), $0.sentBefore) }
    }

    /// Returns the time to store for a request; for an immediate request it is so early that the request is due by
    /// every process's clock.
    private func moment(of dispatch: DispatchRequest) -> Instant {
        guard sql.hasOtherWriters, dispatch.at <= transaction.now else { return dispatch.at }
        return dispatch.at.adding(milliseconds: -Instant.clocksApartMax)
    }

    /// Returns a device's dispatch request, due now or later, or nil.
    package func nextDispatch(of did: DeviceID) throws -> DispatchRequest? { try sql.find(DispatchRequest.table, did) }

    /// Removes dispatch requests that were carried out.
    package func removeDispatches(_ dispatches: [DispatchRequest]) throws {
        try transaction.requireLocks(of: dispatches.map(\.did))
        try sql.run("DELETE FROM dispatch WHERE did = $1", each: dispatches) { $0.did }
    }

    /// Returns at most `limit` dispatch requests of some shards that are due.
    package func dueDispatches(
        limit: Int,
        of shards: Shards
    ) throws -> [DispatchRequest] {
        guard shards.areAll else {
            return try sql.rows(
                of: DispatchRequest.table,
                """
                WHERE at <= $1 AND instr($2, substr(did, length(did) - 1)) > 0
                ORDER BY at LIMIT $3
                """,
                transaction.now,
                shards.names,
                limit
            )
        }
        return try sql.rows(of: DispatchRequest.table, "WHERE at <= $1 ORDER BY at LIMIT $2", transaction.now, limit)
    }

    /// Returns when the next dispatch request of some shards is due, or nil.
    package func nextDispatch(of shards: Shards = .all) throws -> Instant? {
        guard shards.areAll else {
            return try sql.value(
                """
                SELECT min(at) FROM dispatch WHERE instr($1, substr(did, length(did) - 1)) > 0
                """,
                shards.names
            )
        }
        return try sql.value("SELECT min(at) FROM dispatch")
    }

    // MARK: A clock that was set back

    /// Brings the deadlines of open commands forward by `step` milliseconds, after the clock was set back by that time.
    ///
    /// A command created within the last second stays unchanged, since it was most likely created after the clock was
    /// set back. If the clock had been set ahead before, `jump.at` is the time when this happened, and `jump.behind` is
    /// how far the present clock is behind the clock from before `jump.at`. The deadline of a command created before
    /// `jump.at` is moved by `jump.behind` instead of `step`.
    package func bringForward(byMilliseconds step: Int64, jump: (at: Instant, behind: Int64)? = nil) throws {
        try transaction.requireLockOfAll()
        let now = transaction.now.milliseconds
        let since = jump?.at ?? Instant(milliseconds: -1)
        let parts = [(step, since, Instant.max), (jump?.behind ?? 0, Instant(milliseconds: -1), since)]
        try sql.run(
            """
            UPDATE command SET expiresAt = expiresAt - $1
            WHERE state IN ('queued', 'sent') AND (createdAt < $2 OR createdAt > $3)
                AND createdAt > $4 AND createdAt <= $5
            """,
            each: parts.filter { $0.0 > 0 }
        ) { ($0.0, now - 1000, now, $0.1, $0.2) }
        try sql.run("UPDATE dispatch SET at = $1 WHERE at > $2", now, now + step / 2)
    }

    // MARK: The log

    /// Passes to `body` a device's commands created within a period, newest first, until `body` returns false.
    ///
    /// If a cursor is given, starts with the first command older than the cursor.
    package func log(
        _ did: DeviceID,
        from: Instant,
        to: Instant,
        before cursor: (at: Instant, cid: Int64)?,
        _ body: (Command) throws -> Bool
    ) throws {
        let place = cursor.map { (time: $0.at, number: $0.cid) }
        try Self.log.scan(did, from: from, to: to, before: place, in: sql, body)
    }

    static let log = DeviceLog(Command.table, time: "createdAt", number: "cid")
}
