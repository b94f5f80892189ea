package import Domain
import Wire

/// Accounts that their users cancelled, until they are erased to the last name in a record.
package struct CancellationTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    /// An account on its way out.
    package struct Entry: Sendable, Equatable {
        /// Whose it is.
        package var uid: UserID
        /// From when on it is erased.
        package var deletesAt: Instant
        /// Since when there is no way back.
        package var erasedAt: Instant?
    }

    private static func entry(_ row: Row) -> Entry {
        Entry(
            uid: UserID(trusted: row.text(0)),
            deletesAt: Instant(milliseconds: row.integer(1)),
            erasedAt: row.optionalInteger(2).map { Instant(milliseconds: $0) }
        )
    }

    /// Notes a wish; an earlier one keeps its time.
    package func request(_ uid: UserID, deletesAt: Instant) throws {
        try sql.run(
            """
            INSERT INTO cancellation (uid, deletesAt) VALUES ($1, $2)
            ON CONFLICT (uid) DO NOTHING
            """
        ) {
            $0.add(uid.text)
            $0.add(deletesAt.milliseconds)
        }
    }

    /// What is known of an account's cancellation, or nil.
    package func find(_ uid: UserID) throws -> Entry? {
        try sql.query("SELECT uid, deletesAt, erasedAt FROM cancellation WHERE uid = $1") {
            $0.add(uid.text)
        } row: {
            Self.entry($0)
        }.first
    }

    /// Takes a wish back; false when there is none, or erasing has begun.
    package func undo(_ uid: UserID) throws -> Bool {
        try sql.run("DELETE FROM cancellation WHERE uid = $1 AND erasedAt IS NULL") {
            $0.add(uid.text)
        }
        return sql.changes == 1
    }

    private func begin(_ uid: UserID) throws {
        try sql.run(
            """
            INSERT INTO cancellation (uid, deletesAt, erasedAt) VALUES ($1, $2, $2)
            ON CONFLICT (uid) DO UPDATE SET
                deletesAt = excluded.deletesAt, erasedAt = excluded.erasedAt
            """
        ) {
            $0.add(uid.text)
            $0.add(transaction.now.milliseconds)
        }
    }

    /// Those whose time has come at a moment, at most so many.
    package func due(at now: Instant, limit: Int) throws -> [Entry] {
        try sql.query(
            """
            SELECT uid, deletesAt, erasedAt FROM cancellation
            WHERE deletesAt <= $1 ORDER BY deletesAt LIMIT $2
            """
        ) {
            $0.add(now.milliseconds)
            $0.add(limit)
        } row: {
            Self.entry($0)
        }
    }

    /// Forgets an account of which nothing is left but in the log, which `Store.scrub` empties.
    package func finish(_ uid: UserID) throws {
        try sql.run("DELETE FROM cancellation WHERE uid = $1") { $0.add(uid.text) }
    }

    // MARK: What goes with an account

    /// Devices that the user is bound to, at most so many.
    package func devices(of uid: UserID, limit: Int) throws -> [DeviceID] {
        try sql.query("SELECT did FROM binding WHERE uid = $1 ORDER BY boundAt LIMIT $2") {
            $0.add(uid.text)
            $0.add(limit)
        } row: {
            DeviceID(trusted: $0.text(0))
        }
    }

    /// Deletes the account with everything that hangs on its uid alone; from here on there is no way
    /// back.
    package func deleteAccount(_ uid: UserID) throws {
        try begin(uid)
        try transaction.meta.owe(scrub: transaction.stamps.next(transaction.now))
        // Answers that wait for a repeat of their request tell of him, too.
        try sql.run(
            """
            DELETE FROM request WHERE sender IN (SELECT terminalId FROM session WHERE uid = $1)
            """
        ) {
            $0.add(uid.text)
        }
        for table in ["session", "logoutCode", "link", "identity", "avatar", "account"] {
            try sql.run("DELETE FROM \(table) WHERE uid = $1") { $0.add(uid.text) }
        }
        try transaction.homes.deleteAll(of: uid)
        try transaction.audit.redact(uid)
    }

    /// Takes the user's name out of events and commands that others keep, at most so many of each;
    /// tells how many there were to look at.
    package func takeOutName(_ uid: UserID, limit: Int) throws -> Int {
        // The text of an actor begins with its kind and id.
        let start = String(EventCodec.stored(Actor(.user, uid.text)).dropLast())
        let events = try takeOutOfEvents(start, limit: limit)
        let commands = try takeOutOfCommands(uid, start, limit: limit)
        // Those that he is bound by end with his bonds, which come first.
        return try events + commands + transaction.sharings.forget(uid, limit: limit)
    }

    private func takeOutOfEvents(_ start: String, limit: Int) throws -> Int {
        // The second range is that of the index.
        try sql.run(
            """
            UPDATE event SET actor = $1 WHERE (did, ts, seq) IN (
                SELECT did, ts, seq FROM event
                WHERE actor >= $2 AND actor < $3
                    AND actor >= '{"kind":"user"' AND actor < '{"kind":"user#'
                LIMIT $4)
            """
        ) {
            $0.add(EventCodec.stored(.erased))
            $0.add(start)
            $0.add("\(start)~")
            $0.add(limit)
        }
        return sql.changes
    }

    /// Looking at a command costs less than changing one.
    private static let lookedAtPerChanged = 4

    /// Goes through the commands of devices that he was bound to, from where the last step ended; most are
    /// others' and stay as they are.
    private func takeOutOfCommands(_ uid: UserID, _ start: String, limit: Int) throws -> Int {
        let limit = limit * Self.lookedAtPerChanged
        var looked = 0
        while looked < limit, let former = try nextFormerBond(uid) {
            let (count, last) = try commands(former, limit - looked)
            looked += max(count, 1)
            guard let last else {
                try forgetFormerBond(uid, former.did)
                continue
            }
            try sql.run(
                """
                UPDATE command SET actor = $1
                WHERE did = $2 AND cid > $3 AND cid <= $4 AND actor >= $5 AND actor < $6
                """
            ) {
                $0.add(EventCodec.stored(.erased))
                $0.add(former.did.text)
                $0.add(former.checkedTo)
                $0.add(last)
                $0.add(start)
                $0.add("\(start)~")
            }
            try sql.run("UPDATE formerBond SET checkedTo = $1 WHERE uid = $2 AND did = $3") {
                $0.add(last)
                $0.add(uid.text)
                $0.add(former.did.text)
            }
        }
        return looked
    }

    /// A device that he was bound to, the last command of that time, and up to where they were looked at.
    private typealias FormerBond = (did: DeviceID, lastCid: Int64, checkedTo: Int64)

    private func nextFormerBond(_ uid: UserID) throws -> FormerBond? {
        try sql.query(
            "SELECT did, lastCid, checkedTo FROM formerBond WHERE uid = $1 ORDER BY did LIMIT 1"
        ) {
            $0.add(uid.text)
        } row: {
            FormerBond(DeviceID(trusted: $0.text(0)), $0.integer(1), $0.integer(2))
        }.first
    }

    private func forgetFormerBond(_ uid: UserID, _ did: DeviceID) throws {
        try sql.run("DELETE FROM formerBond WHERE uid = $1 AND did = $2") {
            $0.add(uid.text)
            $0.add(did.text)
        }
    }

    /// How many commands are to be looked at next, and the number of the last of them.
    private func commands(_ former: FormerBond, _ limit: Int) throws -> (count: Int, last: Int64?) {
        try sql.query(
            """
            SELECT count(*), max(cid) FROM (
                SELECT cid FROM command WHERE did = $1 AND cid > $2 AND cid <= $3
                ORDER BY cid LIMIT $4) AS next
            """
        ) {
            $0.add(former.did.text)
            $0.add(former.checkedTo)
            $0.add(former.lastCid)
            $0.add(limit)
        } row: {
            (count: Int($0.integer(0)), last: $0.optionalInteger(1))
        }.first ?? (0, nil)
    }

    /// Anonymous users without devices who were not there since a moment, at most so many.
    package func idleAnonymous(since moment: Instant, limit: Int) throws -> [UserID] {
        try sql.query(
            """
            SELECT uid FROM account
            WHERE anonymous = 1 AND lastSeenAt < $1
                AND NOT EXISTS (SELECT 1 FROM binding AS b WHERE b.uid = account.uid)
                AND NOT EXISTS (SELECT 1 FROM cancellation AS c WHERE c.uid = account.uid)
            ORDER BY lastSeenAt LIMIT $2
            """
        ) {
            $0.add(moment.milliseconds)
            $0.add(limit)
        } row: {
            UserID(trusted: $0.text(0))
        }
    }

    /// Whether a user was not there since a moment.
    package func isIdle(_ uid: UserID, since moment: Instant) throws -> Bool {
        try sql.integer("SELECT 1 FROM account WHERE uid = $1 AND lastSeenAt < $2") {
            $0.add(uid.text)
            $0.add(moment.milliseconds)
        } != nil
    }
}
