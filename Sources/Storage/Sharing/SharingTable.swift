package import Domain
import Sodium

/// Invitations to devices.
package struct SharingTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    private static let columns = """
        sharingId, did, appId, inviterUid, guestUid, way, addresseeKind, addressee, access,
        guestMinutes, status, createdAt, expiresAt, acceptedAt, changedAt
        """

    private static func sharing(_ row: Row) -> Sharing {
        let kind = row.optionalText(6).flatMap(Sharing.AddresseeKind.init(rawValue:))
        return Sharing(
            id: SharingID(trusted: row.text(0)),
            did: DeviceID(trusted: row.text(1)),
            app: AppID(trusted: row.text(2)),
            inviter: UserID(trusted: row.text(3)),
            guest: row.optionalText(4).map { UserID(trusted: $0) },
            addressee: kind.map { Sharing.Addressee($0, masked: row.text(7)) },
            way: Sharing.Way(rawValue: row.text(5)) ?? .user,
            access: Binding.Access(rawValue: row.text(8)) ?? .read,
            guestMinutes: row.optionalInteger(9),
            status: Sharing.Status(rawValue: row.text(10)) ?? .revoked,
            createdAt: Instant(milliseconds: row.integer(11)),
            expiresAt: Instant(milliseconds: row.integer(12)),
            acceptedAt: row.optionalInteger(13).map { Instant(milliseconds: $0) },
            updatedAt: Instant(milliseconds: row.integer(14))
        )
    }

    private func query(
        _ rest: String,
        _ bind: (inout Binder) -> Void = { _ in }
    ) throws
        -> [Sharing]
    {
        try sql.query("SELECT \(Self.columns) FROM sharing \(rest)", bind) { Self.sharing($0) }
    }

    private func codeHash(_ text: String) -> [UInt8] { Sodium.sha256(text.utf8) }

    private func addresseeHash(_ name: String, _ did: DeviceID) -> [UInt8] {
        transaction.hash(name, boundTo: "sharing:\(did.text)")
    }

    // MARK: Finding

    /// Returns one invitation, or nil.
    package func find(_ id: SharingID) throws -> Sharing? {
        try query("WHERE sharingId = $1") { $0.add(id.text) }.first
    }

    /// Returns the invitation of a code's text in an app, or nil.
    package func find(code text: String, app: AppID) throws -> Sharing? {
        try query("WHERE codeHash = $1 AND appId = $2") {
            $0.add(bytes: codeHash(text))
            $0.add(app.text)
        }.first
    }

    /// Returns the unfinished invitations to a device, in the order of their ids.
    package func open(of did: DeviceID) throws -> [Sharing] {
        try query("WHERE did = $1 AND status IN ('pending', 'accepted') ORDER BY sharingId") {
            $0.add(did.text)
        }
    }

    /// Returns whether a device's invitation by a name is open, or was accepted and still gives access.
    package func isInvited(_ did: DeviceID, name: String) throws -> Bool {
        try sql.integer(
            """
            SELECT 1 FROM sharing
            WHERE did = $1 AND addresseeHash = $2
                AND (status = 'accepted' OR status = 'pending' AND expiresAt > $3) LIMIT 1
            """
        ) {
            $0.add(did.text)
            $0.add(bytes: addresseeHash(name, did))
            $0.add(transaction.now.milliseconds)
        } != nil
    }

    /// Returns a page of the invitations that a user received or made; the newest first.
    package func page(
        of uid: UserID,
        isGuest: Bool,
        did: DeviceID?,
        before: (createdAt: Instant, id: SharingID)?,
        limit: Int64
    ) throws -> [Sharing] {
        try query(
            """
            WHERE \(isGuest ? "guestUid" : "inviterUid") = $1 AND ($2 IS NULL OR did = $2)
                AND ($3 IS NULL OR createdAt < $3 OR createdAt = $3 AND sharingId < $4)
            ORDER BY createdAt DESC, sharingId DESC LIMIT $5
            """
        ) {
            $0.add(uid.text)
            $0.add(did?.text)
            $0.add(before?.createdAt.milliseconds)
            $0.add(before?.id.text)
            $0.add(limit)
        }
    }

    /// Returns unanswered invitations past their deadline, at most `limit`, the earliest first.
    package func overdue(limit: Int) throws -> [Sharing] {
        try query(
            "WHERE status = 'pending' AND expiresAt <= $1 ORDER BY expiresAt LIMIT $2"
        ) {
            $0.add(transaction.now.milliseconds)
            $0.add(limit)
        }
    }

    /// Returns when the next invitation's time is over; nil without one.
    package func nextExpiry() throws -> Instant? {
        try sql.integer("SELECT min(expiresAt) FROM sharing WHERE status = 'pending'")
            .map { Instant(milliseconds: $0) }
    }

    // MARK: Changing

    /// Adds an invitation, with the name or the code's text that it goes by, both kept hashed.
    package func insert(_ sharing: Sharing, name: String?, code: String?) throws {
        try sql.run(
            """
            INSERT INTO sharing (\(Self.columns), addresseeHash, codeHash)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
            """
        ) {
            $0.add(sharing.id.text)
            $0.add(sharing.did.text)
            $0.add(sharing.app.text)
            $0.add(sharing.inviter.text)
            $0.add(sharing.guest?.text)
            $0.add(sharing.way.rawValue)
            $0.add(sharing.addressee?.kind.rawValue)
            $0.add(sharing.addressee?.masked)
            $0.add(sharing.access.rawValue)
            $0.add(sharing.guestMinutes)
            $0.add(sharing.status.rawValue)
            $0.add(sharing.createdAt.milliseconds)
            $0.add(sharing.expiresAt.milliseconds)
            $0.add(sharing.acceptedAt?.milliseconds)
            $0.add(sharing.updatedAt.milliseconds)
            $0.add(bytes: name.map { addresseeHash($0, sharing.did) })
            $0.add(bytes: code.map { codeHash($0) })
        }
    }

    /// Stores an invitation's users and status.
    package func save(_ sharing: Sharing) throws {
        try sql.run(
            """
            UPDATE sharing SET inviterUid = $1, guestUid = $2, status = $3, acceptedAt = $4,
                changedAt = $5
            WHERE sharingId = $6
            """
        ) {
            $0.add(sharing.inviter.text)
            $0.add(sharing.guest?.text)
            $0.add(sharing.status.rawValue)
            $0.add(sharing.acceptedAt?.milliseconds)
            $0.add(sharing.updatedAt.milliseconds)
            $0.add(sharing.id.text)
        }
    }

    // MARK: Forgetting

    /// Forgets invitations that ended before a moment, at most `limit`; returns how many.
    package func prune(before moment: Instant, limit: Int) throws -> Int {
        try sql.run(
            """
            DELETE FROM sharing WHERE sharingId IN (
                SELECT sharingId FROM sharing
                WHERE status IN ('rejected', 'expired', 'revoked') AND changedAt < $1
                ORDER BY changedAt LIMIT $2)
            """
        ) {
            $0.add(moment.milliseconds)
            $0.add(limit)
        }
        return sql.changes
    }

    /// Removes an erased user from invitations, at most `limit` of each kind; returns how many.
    ///
    /// The user's own invitations are deleted. Those that the user received stay with their inviter, without
    /// the name, like one to a person without an account.
    package func forget(_ uid: UserID, limit: Int) throws -> Int {
        try sql.run(
            """
            DELETE FROM sharing WHERE sharingId IN (
                SELECT sharingId FROM sharing WHERE inviterUid = $1 LIMIT $2)
            """
        ) {
            $0.add(uid.text)
            $0.add(limit)
        }
        let own = sql.changes
        try sql.run(
            """
            UPDATE sharing SET guestUid = NULL WHERE sharingId IN (
                SELECT sharingId FROM sharing WHERE guestUid = $1 LIMIT $2)
            """
        ) {
            $0.add(uid.text)
            $0.add(limit)
        }
        return own + sql.changes
    }
}
