package import Domain

/// A kind of rows that expire or end.
///
/// Rows of most kinds are deleted some time after their end. The other kinds, such as open commands and pending
/// invitations, are not deleted here. When such a row expires, a worker handles the row.
///
/// One condition selects both the rows to count and the rows to delete. A new kind of rows needs a line here and one in
/// the workers' `ExpiredRows`. The latter line says how long the rows are kept.
package struct ExpiringRows: Sendable {
    /// The name of the kind, as metrics show it.
    package let kind: String
    let table: String
    /// The columns of the table's key.
    let key: String
    /// The column by which rows are sorted, so that the oldest rows are deleted first.
    let order: String
    /// The condition for rows that ended before the moment `$1`.
    let condition: String
    /// The function that deletes rows outside `kept`, if one statement isn't enough.
    let delete: (@Sendable (Transaction, _ kept: ClosedRange<Instant>, _ limit: Int) throws -> Int)?
    /// The function that counts ended rows if `condition` can't describe them.
    let count: (@Sendable (Transaction, _ before: Instant, _ limit: Int) throws -> Int64)?

    private init(
        _ kind: String,
        in table: String? = nil,
        key: String,
        by order: String,
        where condition: String? = nil,
        delete: (@Sendable (Transaction, ClosedRange<Instant>, Int) throws -> Int)? = nil,
        count: (@Sendable (Transaction, Instant, Int) throws -> Int64)? = nil
    ) {
        self.kind = kind
        self.table = table ?? kind
        (self.key, self.order) = (key, order)
        self.condition = condition ?? "\(order) < $1"
        (self.delete, self.count) = (delete, count)
    }

    /// Returns the statement that deletes at most `$2` rows that ended before `$1`, oldest first.
    ///
    /// If `besideOthers` is true, other processes can write at the same time. The statement then locks the rows that it
    /// finds, so that the database checks the condition again on their current content. For example, a counter of
    /// attempts may have begun a new window in the meantime. The statement skips rows that other transactions have
    /// locked.
    func deletion(besideOthers: Bool) -> String {
        """
        DELETE FROM \(table) WHERE (\(key)) IN (
            SELECT \(key) FROM \(table) WHERE \(condition) ORDER BY \(order) LIMIT $2\
        \(besideOthers ? " FOR UPDATE SKIP LOCKED" : ""))
        """
    }

    /// The query that counts the rows that ended before the time `$1`, up to `$2` rows.
    var counting: String { "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE \(condition) LIMIT $2) AS waiting" }

    // MARK: Deleted

    /// Ids of reports that took effect.
    package static let inbox = Self("inbox", key: "did, id", by: "at")
    /// Requests that took effect, with their answers.
    package static let request = Self(
        "request",
        key: "seq",
        by: "seq",
        delete: { try $0.requests.deleteOldest(outside: $1, limit: $2) },
        count: { try $0.requests.count(before: $1, limit: $2) }
    )
    /// Counters of attempts.
    package static let attempt = Self("attempt", key: "subject", by: "until")
    /// Codes that were sent.
    package static let code = Self("code", key: "scope", by: "expiresAt")
    /// Tickets issued for a code.
    package static let ticket = Self("ticket", key: "ticketHash", by: "expiresAt")
    /// Links that were sent in messages.
    package static let link = Self("link", key: "tokenHash", by: "expiresAt")
    /// One-time links of operators.
    package static let operatorLink = Self("operatorLink", key: "tokenHash", by: "expiresAt")
    /// Operators' sessions, which are deleted a fixed time after they began.
    package static let operatorSession = Self("operatorSession", key: "sessionId", by: "createdAt")
    /// Tokens of operators.
    package static let operatorToken = Self("operatorToken", key: "tokenId", by: "expiresAt")
    /// Runs of schedules.
    package static let scheduleRun = Self("scheduleRun", key: "scheduleId, dueAt", by: "dueAt")
    /// Ended sessions, each with its terminal if the terminal has no other session.
    package static let session = Self(
        "session",
        key: "sessionId",
        by: "endedAt",
        delete: { try $0.sessions.deleteEnded(before: $1.lowerBound, limit: $2) }
    )
    /// Ended API keys, with their terminals.
    package static let apiKey = Self(
        "apiKey",
        key: "keyId",
        by: "endedAt",
        delete: { try $0.keys.deleteEnded(before: $1.lowerBound, limit: $2) }
    )
    /// Codes and tokens of linked services.
    package static let oauthToken = Self("oauthToken", key: "tokenHash", by: "expiresAt")
    /// Ids of notices that took effect.
    package static let notice = Self("notice", key: "noticeId", by: "at")
    /// Codes with which users end their other sessions.
    package static let logoutCode = Self("logoutCode", key: "uid", by: "expiresAt")
    /// Records of outgoing messages.
    package static let messageRecord = Self("messageRecord", key: "messageId", by: "endedAt")
    /// Notifications in users' message centres.
    package static let notification = Self(
        "notification",
        key: "notificationId",
        by: "ts",
        where: "hidden = 0 AND ts < $1"
    )
    /// Hidden records of why users were not notified.
    package static let hiddenNotification = Self(
        "hiddenNotification",
        in: "notification",
        key: "notificationId",
        by: "ts",
        where: "hidden = 1 AND ts < $1"
    )
    /// Invitations that ended.
    package static let endedInvitation = Self(
        "endedInvitation",
        in: "sharing",
        key: "sharingId",
        by: "changedAt",
        where: "status IN ('rejected', 'expired', 'revoked') AND changedAt < $1"
    )
    /// Lines of the audit trail, except records of an erasure, which are kept forever.
    ///
    /// A line's id is roughly its creation time, in microseconds since 1970.
    package static let audit = Self("audit", key: "id", by: "id", where: "kind <> 'erased' AND id < 1000 * $1")

    // MARK: Ended by workers, or erased step by step

    /// Commands that wait for their device or for the device's answer.
    package static let command = Self(
        "command",
        key: "seq",
        by: "expiresAt",
        where: "state IN ('queued', 'sent') AND expiresAt < $1"
    )
    /// Pending invitations.
    package static let invitation = Self(
        "invitation",
        in: "sharing",
        key: "sharingId",
        by: "expiresAt",
        where: "status = 'pending' AND expiresAt <= $1"
    )
    /// Bindings of guests.
    package static let guest = Self(
        "guest",
        in: "binding",
        key: "did, uid",
        by: "guestUntil",
        where: "guestUntil IS NOT NULL AND guestUntil <= $1"
    )
    /// Cancelled accounts.
    package static let cancellation = Self("cancellation", key: "uid", by: "deletesAt", where: "deletesAt <= $1")
}

extension RetentionTable {
    /// Deletes the oldest rows that end before `moment`, up to `limit`, and returns how many.
    ///
    /// For the kind `request`, also deletes rows with times after `later`. These rows were written before the clock was
    /// set back. By default, `later` is as far in the future as `moment` is in the past.
    package func delete(
        _ rows: ExpiringRows,
        before moment: Instant,
        after later: Instant? = nil,
        limit: Int
    ) throws -> Int {
        if let delete = rows.delete {
            let now = transaction.now.milliseconds
            let later = later ?? Instant(milliseconds: 2 * now - moment.milliseconds)
            return try delete(transaction, moment...max(moment, later), limit)
        }
        return try sql.rowsChanged(rows.deletion(besideOthers: sql.hasOtherWriters), moment, limit)
    }

    /// Counts the rows of a kind that ended before `moment`, but only up to `limit`.
    package func count(_ rows: ExpiringRows, before moment: Instant, limit: Int) throws -> Int64 {
        if let count = rows.count { return try count(transaction, moment, limit) }
        return try sql.integer(rows.counting, moment, limit) ?? 0
    }
}
