package import Domain

/// The cancellations of users' accounts.
///
/// A cancellation is deleted when the user undoes it, or in the last step of the user's erasure.
package struct CancellationTable: TransactionTable {
    let transaction: Transaction

    /// A cancelled account.
    package struct Entry: Sendable, Equatable {
        /// The account's user.
        package var uid: UserID
        /// The time at which the erasure of the account begins.
        package var deletesAt: Instant
        /// The time at which the account was deleted, or nil while the cancellation can still be undone.
        package var erasedAt: Instant?
    }

    /// Records a user's request to cancel the account, unless there is an earlier request.
    package func request(_ uid: UserID, deletesAt: Instant) throws {
        try transaction.requireLock(of: uid)
        try sql.run(
            "INSERT INTO cancellation (uid, deletesAt) VALUES ($1, $2) ON CONFLICT (uid) DO NOTHING",
            uid,
            deletesAt
        )
    }

    /// Returns an account's cancellation; nil if the account hasn't been cancelled.
    package func find(_ uid: UserID) throws -> Entry? {
        try sql.find(Entry.table, uid)
    }

    /// Undoes a cancellation, or returns false if there is no cancellation or the account is already deleted.
    package func undo(_ uid: UserID) throws -> Bool {
        try transaction.requireLock(of: uid)
        return try sql.rowsChanged("DELETE FROM cancellation WHERE uid = $1 AND erasedAt IS NULL", uid) == 1
    }

    private func begin(_ uid: UserID) throws {
        try transaction.requireLock(of: uid)
        try sql.run(Entry.table.upsert, Entry(uid: uid, deletesAt: now, erasedAt: now))
    }

    /// Returns at most `limit` accounts whose erasure is due at a given moment.
    package func due(at now: Instant, limit: Int) throws -> [Entry] {
        try sql.rows(of: Entry.table, "WHERE deletesAt <= $1 ORDER BY deletesAt LIMIT $2", now, limit)
    }

    /// Deletes the cancellation, as the last step of erasing the user.
    package func finish(_ uid: UserID) throws {
        try transaction.requireLock(of: uid)
        try sql.run("DELETE FROM cancellation WHERE uid = $1", uid)
    }

    // MARK: Deleting an account

    /// Returns at most `limit` devices that the user is bound to.
    package func devices(of uid: UserID, limit: Int) throws -> [DeviceID] {
        try sql.values("SELECT did FROM binding WHERE uid = $1 ORDER BY boundAt LIMIT $2", uid, limit)
    }

    /// Permanently deletes the account and all rows that belong only to its user.
    package func deleteAccount(_ uid: UserID) throws {
        try begin(uid)
        try transaction.meta.requestVacuum(transaction.sequence.next(now))
        // Each request is stored with its answer, in case the request is repeated. The answer can name the user.
        try sql.run("DELETE FROM request WHERE sender IN (SELECT terminalId FROM session WHERE uid = $1)", uid)
        try transaction.deadLetters.forget(uid)
        if let user = try transaction.accounts.find(uid) {
            for due in try transaction.outgoingMessages.unsent(to: user) {
                _ = try transaction.outgoingMessages.delete(due.message.id)
            }
            // While the messages are being deleted, another transaction can replace a sent or failed message with its
            // record. Therefore, the records are deleted after the messages.
            try transaction.messageRecords.forget(user)
        }
        try transaction.attempts.forget(uid)
        try transaction.notifications.forget(uid)
        try transaction.replans.forget(uid)
        for table in ["session", "logoutCode", "link", "identity", "avatar", "account"] {
            try sql.run("DELETE FROM \(table) WHERE uid = $1", uid)
        }
        try transaction.homes.deleteAll(of: uid)
        try transaction.audit.redact(uid)
    }

    /// Returns up to `limit` devices whose events, commands or invitations still name a user.
    package func devicesThatName(_ uid: UserID, limit: Int) throws -> [DeviceID] {
        try sql.values(
            """
            SELECT did FROM (
                SELECT did FROM (SELECT did FROM event
                    WHERE actorKind = 'user' AND actorId = $1 LIMIT $2) AS events
                UNION SELECT did FROM (SELECT did FROM formerBinding
                    WHERE uid = $1 LIMIT $2) AS commands
                UNION SELECT did FROM (SELECT did FROM sharing
                    WHERE inviterUid = $1 LIMIT $2) AS own
                UNION SELECT did FROM (SELECT did FROM sharing
                    WHERE guestUid = $1 LIMIT $2) AS received
            ) AS named ORDER BY did LIMIT $2
            """,
            uid,
            limit
        )
    }

    /// Removes the references to the user from the events, commands and invitations of other users' devices.
    ///
    /// Changes at most `limit` events and `limit` invitations. Checks at most `limit * lookedAtPerChanged` commands.
    package func takeOutName(_ uid: UserID, of dids: [DeviceID], limit: Int) throws {
        try transaction.requireLocks(of: dids)
        var (events, sharings) = (limit, limit)
        var commands = limit * Self.lookedAtPerChanged
        for did in dids {
            if events > 0 { events -= try takeOutOfEvents(uid, of: did, limit: events) }
            if commands > 0 { commands -= try takeOutOfCommands(uid, of: did, limit: commands) }
            // Invitations that the user accepted have already ended, together with the user's bindings.
            if sharings > 0 { sharings -= try transaction.sharings.forget(uid, of: did, limit: sharings) }
        }
    }

    private func takeOutOfEvents(_ uid: UserID, of did: DeviceID, limit: Int) throws -> Int {
        try sql.rowsChanged(
            """
            UPDATE event SET actorId = $1, actorTerminal = NULL WHERE (did, ts, seq) IN (
                SELECT did, ts, seq FROM event
                WHERE actorKind = 'user' AND actorId = $2 AND did = $3 LIMIT $4)
            """,
            Actor.erased.id,
            uid,
            did,
            limit
        )
    }

    /// The limit for checked commands, as a multiple of the limit for changed events.
    ///
    /// Checking a command costs less than changing an event.
    private static let lookedAtPerChanged = 4

    /// Checks the next commands of a device that the user was once bound to, and returns their number.
    private func takeOutOfCommands(_ uid: UserID, of did: DeviceID, limit: Int) throws -> Int {
        var looked = 0
        while looked < limit, let former = try formerBinding(uid, did) {
            let (count, last) = try commands(former, limit - looked)
            looked += max(count, 1)
            guard let last else {
                try forgetFormerBinding(uid, did)
                break
            }
            try sql.run(
                """
                UPDATE command SET actorId = $1, actorTerminal = NULL
                WHERE did = $2 AND cid > $3 AND cid <= $4 AND actorKind = 'user' AND actorId = $5
                """,
                Actor.erased.id,
                did,
                former.checkedTo,
                last,
                uid
            )
            try sql.run(
                "UPDATE command SET uid = NULL WHERE did = $1 AND cid > $2 AND cid <= $3 AND uid = $4",
                did,
                former.checkedTo,
                last,
                uid
            )
            try sql.run("UPDATE formerBinding SET checkedTo = $1 WHERE uid = $2 AND did = $3", last, uid, did)
        }
        return looked
    }

    /// A formerly bound device, the binding's last command, and the last checked command.
    private typealias FormerBinding = (did: DeviceID, lastCid: Int64, checkedTo: Int64)

    private func formerBinding(_ uid: UserID, _ did: DeviceID) throws -> FormerBinding? {
        try sql.first("SELECT did, lastCid, checkedTo FROM formerBinding WHERE uid = $1 AND did = $2", uid, did) {
            FormerBinding($0.next(), $0.next(), $0.next())
        }
    }

    private func forgetFormerBinding(_ uid: UserID, _ did: DeviceID) throws {
        try sql.run("DELETE FROM formerBinding WHERE uid = $1 AND did = $2", uid, did)
    }

    /// Returns the number of commands to check next, and the `cid` of the last of them (nil if there are none).
    private func commands(_ former: FormerBinding, _ limit: Int) throws -> (count: Int, last: Int64?) {
        try sql.first(
            """
            SELECT count(*), max(cid) FROM (
                SELECT cid FROM command WHERE did = $1 AND cid > $2 AND cid <= $3
                ORDER BY cid LIMIT $4) AS next
            """,
            former.did,
            former.checkedTo,
            former.lastCid,
            limit
        ) { (count: $0.next(), last: $0.next()) } ?? (0, nil)
    }

    /// Returns up to `limit` anonymous users without devices, last seen before a given moment.
    package func idleAnonymous(since moment: Instant, limit: Int) throws -> [UserID] {
        try sql.values(
            """
            SELECT uid FROM account
            WHERE anonymous = 1 AND lastSeenAt < $1
                AND NOT EXISTS (SELECT 1 FROM binding AS b WHERE b.uid = account.uid)
                AND NOT EXISTS (SELECT 1 FROM cancellation AS c WHERE c.uid = account.uid)
            ORDER BY lastSeenAt LIMIT $2
            """,
            moment,
            limit
        )
    }

    /// Returns whether a user was last seen before a given moment.
    package func isIdle(_ uid: UserID, since moment: Instant) throws -> Bool {
        try sql.integer("SELECT 1 FROM account WHERE uid = $1 AND lastSeenAt < $2", uid, moment) != nil
    }
}

extension CancellationTable.Entry: TableRow {
    package static let table = Table<Self>("cancellation")

    package static func map(_ column: inout ColumnMapper<Self>) -> Self {
        Self(
            uid: column("uid", \.uid, as: .key),
            deletesAt: column("deletesAt", \.deletesAt, as: .changing),
            erasedAt: column("erasedAt", \.erasedAt, as: .changing)
        )
    }
}
