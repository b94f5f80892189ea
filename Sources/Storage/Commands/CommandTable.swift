package import Batching
package import Domain

/// The devices' open commands (unsent or unanswered) and a log of finished commands.
package struct CommandTable: TransactionTable {
    let transaction: Transaction

    /// Passes to `body` each existing command with the index of its key in `keys`.
    package func load(_ keys: [(did: DeviceID, cid: Int64)], _ body: (Int, Command) -> Void) throws {
        try sql.query(Command.table.find, each: keys.indices) {
            (keys[$0].did, keys[$0].cid)
        } row: {
            body($0, $1.nextRow())
        }
    }

    /// Returns one command; nil if there is no such command.
    package func find(_ did: DeviceID, _ cid: Int64) throws -> Command? { try sql.find(Command.table, did, cid) }

    /// Returns a device's commands, newest first.
    package func newest(_ did: DeviceID, limit: Int) throws -> [Command] {
        try sql.rows(of: Command.table, "WHERE did = $1 ORDER BY cid DESC LIMIT $2", did, limit)
    }

    /// Returns a device's commands with numbers below `cid`, newest first.
    package func page(_ did: DeviceID, before cid: Int64, limit: Int) throws -> [Command] {
        try sql.rows(of: Command.table, "WHERE did = $1 AND cid < $2 ORDER BY cid DESC LIMIT $3", did, cid, limit)
    }

    /// Returns a device's commands that were accepted at or before a given moment, newest first.
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
            now,
            limit
        )
    }

    /// Returns the earliest deadline of all open commands, or nil.
    package func nextExpiry() throws -> Instant? {
        try sql.value("SELECT min(expiresAt) FROM command WHERE state IN ('queued', 'sent')")
    }

    /// Returns the number of open commands by state.
    package func openCounts() throws -> [(state: String, count: Int64)] {
        try sql.query(
            "SELECT state, count(*) FROM command WHERE state IN ('queued', 'sent') GROUP BY state ORDER BY state"
        ) { ($0.next(), $0.next()) }
    }

    /// Returns a device's open commands, in the order of their numbers.
    package func open(_ did: DeviceID) throws -> [Command] {
        try load(open(did, Self.queued) + open(did, Self.sent)).sorted { $0.cid < $1.cid }
    }

    // Each query names one state. A list of states would make command handling about a tenth slower. Without `ORDER BY
    // cid`, the engine would use the index of commands by age. The engine would then read all the commands. A test
    // checks which index is used.
    static let queued = "SELECT cid FROM command WHERE did = $1 AND state = 'queued' ORDER BY cid"
    static let sent = "SELECT cid FROM command WHERE did = $1 AND state = 'sent' ORDER BY cid"
    static let firstQueued = "SELECT min(cid) FROM command WHERE did = $1 AND state = 'queued'"
    static let firstSent = "SELECT min(cid) FROM command WHERE did = $1 AND state = 'sent'"

    private func open(_ did: DeviceID, _ query: String) throws -> [(did: DeviceID, cid: Int64)] {
        try sql.query(query, did) { (did: did, cid: $0.next()) }
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

    /// Returns commands that the device may have missed.
    ///
    /// These commands were sent at or before `moment`, have no answer and haven't expired. The newest `limit` commands
    /// are returned, in the order of their numbers. A command whose send time is in the future also counts as sent
    /// before `moment`, because it was sent before the clock was set back.
    package func missed(_ did: DeviceID, by moment: Instant, limit: Int) throws -> [Command] {
        // If several processes write, commands sent shortly after `moment` are included too. The clock of the process
        // that sent a command may be ahead of this process's clock. If a command is sent twice, the device ignores the
        // second message.
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

    /// Returns how many unexpired commands are queued for each device that has such commands.
    package func queuedCounts(_ dids: some Collection<DeviceID>) throws -> [DeviceID: Int] {
        var counts: [DeviceID: Int] = [:]
        try sql.query(
            "SELECT count(*) FROM command WHERE did = $1 AND state = 'queued' AND expiresAt > $2",
            each: dids.indices
        ) {
            (dids[$0], now)
        } row: {
            let count = $1.next(Int.self)
            if count > 0 { counts[dids[$0]] = count }
        }
        return counts
    }

    /// Returns how many of a device's commands were sent and have no answer yet.
    package func sentCount(_ did: DeviceID) throws -> Int {
        Int(try sql.integer("SELECT count(*) FROM command WHERE did = $1 AND state = 'sent'", did) ?? 0)
    }

    /// Asks the control worker to send devices their waiting commands.
    ///
    /// If a request has `sentBefore`, the worker also repeats commands that the device may have missed. Requests for
    /// devices without such commands are skipped.
    ///
    /// A dispatch request can wait for its device to subscribe. The broker would drop commands sent earlier. A waiting
    /// request becomes due earlier if the gate reports that the device has subscribed. Adding a command doesn't make
    /// the request due earlier.
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

    /// Returns the due time that is stored for a request.
    ///
    /// The clocks of processes differ. So an immediate request gets a time that has passed on every clock.
    private func moment(of dispatch: DispatchRequest) -> Instant {
        guard sql.hasOtherWriters, dispatch.at <= now else { return dispatch.at }
        return dispatch.at.adding(milliseconds: -Instant.clocksApartMax)
    }

    /// Returns a device's dispatch request, whether or not it is due; nil if there is no request.
    package func nextDispatch(of did: DeviceID) throws -> DispatchRequest? { try sql.find(DispatchRequest.table, did) }

    /// Removes dispatch requests that were carried out.
    package func removeDispatches(_ dispatches: [DispatchRequest]) throws {
        try transaction.requireLocks(of: dispatches.map(\.did))
        try sql.run("DELETE FROM dispatch WHERE did = $1", each: dispatches) { $0.did }
    }

    /// Returns at most `limit` due dispatch requests of some shards.
    package func dueDispatches(limit: Int, of shards: Shards) throws -> [DispatchRequest] {
        guard shards.areAll else {
            return try sql.rows(
                of: DispatchRequest.table,
                """
                WHERE at <= $1 AND instr($2, substr(did, length(did) - 1)) > 0
                ORDER BY at LIMIT $3
                """,
                now,
                shards.names,
                limit
            )
        }
        return try sql.rows(of: DispatchRequest.table, "WHERE at <= $1 ORDER BY at LIMIT $2", now, limit)
    }

    /// Returns when the next dispatch request of some shards is due, or nil.
    package func nextDispatch(of shards: Shards = .all) throws -> Instant? {
        guard shards.areAll else {
            return try sql.value(
                "SELECT min(at) FROM dispatch WHERE instr($1, substr(did, length(did) - 1)) > 0",
                shards.names
            )
        }
        return try sql.value("SELECT min(at) FROM dispatch")
    }

    // MARK: A clock that was set back

    /// Makes open commands' deadlines earlier by `step`, after the clock was set back.
    ///
    /// A command created within the last second stays unchanged. Such a command was most likely created after the clock
    /// was set back.
    ///
    /// `jump` is given if the clock was set ahead at some time before it was set back. `jump.at` is the time that the
    /// clock showed just before it was set ahead. If the clock was then set back further than it had been set ahead,
    /// the clock is now behind the time that it would show without these changes. `jump.behind` is this difference in
    /// milliseconds, or 0 if the clock isn't behind. For commands created before `jump.at`, the deadlines are moved by
    /// `jump.behind` instead of `step`.
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

    /// Passes a device's commands from a period to `body`, newest first, until `body` returns false.
    ///
    /// If a cursor is given, starts with the newest command that is older than the cursor.
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
