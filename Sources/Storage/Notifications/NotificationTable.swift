package import Domain

/// Users' notifications, and the hidden records that say why a user was not notified.
package struct NotificationTable: TransactionTable {
    let transaction: Transaction

    /// The number of a user's unread notifications of each kind.
    package typealias Unread = [Domain.Notification.Kind: Int64]

    // MARK: Reading

    /// Returns a page of a user's notifications, the newest first.
    ///
    /// If `kind` isn't empty, only notifications of this kind are returned. If `did` isn't empty, only notifications
    /// about this device are returned.
    package func page(
        of uid: UserID,
        kind: String,
        did: String,
        onlyUnread: Bool,
        before place: (at: Instant, id: String),
        limit: Int
    ) throws -> [Domain.Notification] {
        try sql.rows(
            of: Domain.Notification.table,
            """
            WHERE uid = $1 AND hidden = 0 AND (ts, notificationId) < ($2, $3) AND ($4 = '' OR kind = $4)
                AND ($5 = '' OR did = $5) AND (isRead = 0 OR $6 = 0)
            ORDER BY ts DESC, notificationId DESC LIMIT $7
            """,
            uid,
            place.at,
            place.id,
            kind,
            did,
            onlyUnread,
            limit
        )
    }

    /// Returns a user's notifications from a period, including hidden ones, the newest first, with the errors of
    /// pending pushes.
    package func records(
        of uid: UserID,
        did: String = "",
        from: Instant = Instant(milliseconds: 0),
        to: Instant = .max,
        limit: Int
    ) throws -> [Domain.Notification] {
        try sql.rows(
            of: Domain.Notification.table,
            """
            WHERE uid = $1 AND ts >= $2 AND ts <= $3 AND ($4 = '' OR did = $4)
            ORDER BY ts DESC, notificationId DESC LIMIT $5
            """,
            uid,
            from,
            to,
            did,
            limit
        ).map(explained)
    }

    /// Returns a copy of a notification that also contains the last error of each pending push.
    ///
    /// A push may have the outcome `pending` although it is no longer among the unsent messages. In the copy, the push
    /// then has the outcome `noAddress`.
    private func explained(_ note: Domain.Notification) throws -> Domain.Notification {
        var note = note
        for var push in note.pushes where push.outcome == .pending {
            if let waiting = try transaction.outgoingMessages.push(of: note.id, to: push.terminal) {
                push.error = waiting.error
            } else {
                (push.outcome, push.error) = (.noAddress, Domain.Notification.Push.dropped)
            }
            note.note(push)
        }
        return note
    }

    /// Returns a notification or hidden record, or nil if it doesn't exist.
    package func find(_ id: NotificationID) throws -> Domain.Notification? {
        try sql.find(Domain.Notification.table, id)
    }

    /// Returns the ids of a user's notifications of one kind or of all kinds.
    package func ids(of uid: UserID, kind: Domain.Notification.Kind?, onlyUnread: Bool) throws -> [NotificationID] {
        try sql.values(
            """
            SELECT notificationId FROM notification
            WHERE uid = $1 AND hidden = 0 AND ($2 = '' OR kind = $2) AND (isRead = 0 OR $3 = 0)
            """,
            uid,
            kind?.rawValue ?? "",
            onlyUnread
        )
    }

    /// Returns the number of notifications and hidden records about a device.
    package func count(of did: DeviceID) throws -> Int64 {
        try sql.integer("SELECT count(*) FROM notification WHERE did = $1", did) ?? 0
    }

    /// Returns, for each user, the number of unread notifications of each kind.
    package func unread(of uids: some Collection<UserID>) throws -> [UserID: Unread] {
        var counts: [UserID: Unread] = [:]
        try sql.query(
            "SELECT kind, count(*) FROM notification WHERE uid = $1 AND hidden = 0 AND isRead = 0 GROUP BY kind",
            each: uids
        ) { uid, row in counts[uid, default: [:]][row.next()] = row.next() }
        return counts
    }

    // MARK: The user's changes

    /// Marks a user's notifications as read, and returns them.
    package func markRead(_ ids: [NotificationID], of uid: UserID) throws -> [Domain.Notification] {
        try transaction.requireLock(of: uid)
        var rows = try find(ids, of: uid)
        try sql.run("UPDATE notification SET isRead = 1 WHERE notificationId = $1", each: rows) { $0.id }
        for index in rows.indices { rows[index].isRead = true }
        return rows
    }

    /// Deletes a user's notifications, and returns them.
    package func delete(_ ids: [NotificationID], of uid: UserID) throws -> [Domain.Notification] {
        try transaction.requireLock(of: uid)
        let rows = try find(ids, of: uid)
        try sql.run("DELETE FROM notification WHERE notificationId = $1", each: rows) { $0.id }
        return rows
    }

    /// Returns those of a user's notifications that have the given ids.
    private func find(_ ids: [NotificationID], of uid: UserID) throws -> [Domain.Notification] {
        try ids.compactMap { try find($0) }.filter { $0.uid == uid && !$0.isHidden }
    }

    // MARK: The notifier's changes

    /// For each notification, finds the newest stored one with the same user, device and subject.
    ///
    /// Each key of the result is the index of a given notification.
    package func similar(to notes: [Domain.Notification]) throws -> [Int: Domain.Notification] {
        var found: [Int: Domain.Notification] = [:]
        try sql.query(
            """
            SELECT \(Domain.Notification.table.columns) FROM notification
            WHERE did = $1 AND subject = $2 AND uid = $3 AND (hidden = 0 OR outcome = 'pending')
            ORDER BY ts DESC LIMIT 1
            """,
            each: notes.indices.filter { notes[$0].did != nil && !notes[$0].subject.isEmpty }
        ) { index in
            (notes[index].did, notes[index].subject, notes[index].uid)
        } row: { index, row in
            found[index] = row.nextRow()
        }
        return found
    }

    /// Returns the next users who have an uncleared notification or a pending record about `subject`.
    ///
    /// The users' ids are above `uid`.
    package func holders(of did: DeviceID, _ subject: String, after uid: String, limit: Int) throws -> [UserID] {
        try sql.values(
            """
            SELECT DISTINCT uid FROM notification WHERE did = $1 AND subject = $2 AND uid > $3
                AND (hidden = 0 AND clearedAt IS NULL OR outcome = 'pending') ORDER BY uid LIMIT $4
            """,
            did,
            subject,
            uid,
            limit
        )
    }

    /// Returns at most `limit` notifications about which the notifier must decide again.
    package func due(limit: Int) throws -> [Domain.Notification] {
        try sql.rows(of: Domain.Notification.table, "WHERE dueAt <= $1 ORDER BY dueAt LIMIT $2", now, limit)
    }

    /// Adds notifications and hidden records, but skips those whose user already has one about the same event.
    package func add(_ notes: [Domain.Notification]) throws {
        for note in notes { try transaction.requireLock(of: note.uid) }
        try sql.run(Domain.Notification.table.inserting(beside: "uid, eventId"), each: notes)
    }

    /// Stores changed notifications.
    package func save(_ notes: [Domain.Notification]) throws {
        for note in notes { try transaction.requireLock(of: note.uid) }
        try sql.run(Domain.Notification.table.update, each: notes)
    }

    /// Deletes each user's oldest notifications beyond `limit`, and likewise the oldest hidden records.
    package func trim(_ uids: some Collection<UserID>, to limit: Int) throws {
        for isHidden in [false, true] {
            try sql.run(
                """
                DELETE FROM notification WHERE uid = $1 AND hidden = $2 AND (ts, notificationId) <= (
                    SELECT ts, notificationId FROM notification WHERE uid = $1 AND hidden = $2
                    ORDER BY ts DESC, notificationId DESC LIMIT 1 OFFSET $3)
                """,
                each: uids
            ) { ($0, isHidden, limit) }
        }
    }

    // MARK: Settings

    /// Returns the settings of users; leaves out users without stored settings.
    package func settings(of uids: some Collection<UserID>) throws -> [UserID: NotificationSettings] {
        var found: [UserID: NotificationSettings] = [:]
        try sql.query(NotificationSettings.table.find, each: uids) { uid, row in found[uid] = row.nextRow() }
        return found
    }

    /// Stores a user's settings.
    package func save(_ settings: NotificationSettings) throws {
        try transaction.requireLock(of: settings.uid)
        try sql.run(NotificationSettings.table.upsert, settings)
    }

    /// Deletes a user's notifications, settings and push addresses.
    func forget(_ uid: UserID) throws {
        for table in ["notification", "notificationSetting", "pushAddress"] {
            try sql.run("DELETE FROM \(table) WHERE uid = $1", uid)
        }
    }
}
