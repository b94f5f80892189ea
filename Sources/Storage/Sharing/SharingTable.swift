package import Domain
import Sodium

/// Invitations to devices.
package struct SharingTable: TransactionTable {
    let transaction: Transaction

    private func query<each Value: ColumnValue>(_ clause: String, _ values: repeat each Value) throws -> [Sharing] {
        try sql.rows(of: SharingRow.table, clause, repeat each values).map(\.sharing)
    }

    private func codeHash(_ text: String) -> [UInt8] { Sodium.sha256(text.utf8) }

    private func addresseeHash(_ name: String, _ did: DeviceID) -> [UInt8] {
        transaction.hash(name, boundTo: "sharing:\(did.text)")
    }

    // MARK: Finding

    /// Returns one invitation; nil if there is no such invitation.
    package func find(_ id: SharingID) throws -> Sharing? {
        try query("WHERE sharingId = $1", id).first
    }

    /// Returns an app's invitation by the text of its QR code, or nil.
    package func find(code text: String, app: AppID) throws -> Sharing? {
        try query("WHERE codeHash = $1 AND appId = $2", codeHash(text), app).first
    }

    /// Returns the unfinished invitations to a device, in the order of their ids.
    package func open(of did: DeviceID) throws -> [Sharing] {
        try query("WHERE did = $1 AND status IN ('pending', 'accepted') ORDER BY sharingId", did.text)
    }

    /// Returns whether `name` has an accepted invitation to a device, or a pending one that hasn't expired.
    package func isInvited(_ did: DeviceID, name: String) throws -> Bool {
        try sql.integer(
            """
            SELECT 1 FROM sharing
            WHERE did = $1 AND addresseeHash = $2
                AND (status = 'accepted' OR status = 'pending' AND expiresAt > $3) LIMIT 1
            """,
            did,
            addresseeHash(name, did),
            now
        ) != nil
    }

    /// Returns a page of the invitations that a user received or sent, the newest first.
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
            """,
            uid,
            did,
            before?.createdAt,
            before?.id,
            limit
        )
    }

    /// Returns at most `limit` unanswered invitations whose deadline has passed, the earliest first.
    package func overdue(limit: Int) throws -> [Sharing] {
        try query("WHERE status = 'pending' AND expiresAt <= $1 ORDER BY expiresAt LIMIT $2", now, limit)
    }

    /// Returns when the next pending invitation expires, or nil if nothing is pending.
    package func nextExpiry() throws -> Instant? {
        try sql.value("SELECT min(expiresAt) FROM sharing WHERE status = 'pending'")
    }

    // MARK: Changing

    /// Adds an invitation, together with the hash of the addressee's name or of the code's text.
    package func insert(_ sharing: Sharing, name: String?, code: String?) throws {
        try transaction.requireLock(of: sharing.did)
        let row = SharingRow(
            sharing: sharing,
            addresseeHash: name.map { addresseeHash($0, sharing.did) },
            codeHash: code.map { codeHash($0) }
        )
        try sql.run(SharingRow.table.insert, row)
    }

    /// Stores the users and the status of an existing invitation.
    package func save(_ sharing: Sharing) throws {
        try transaction.requireLock(of: sharing.did)
        try sql.run(SharingRow.table.update, SharingRow(sharing: sharing))
    }

    // MARK: Erasing

    /// Erases a user from some of a device's invitations, and returns the number of these invitations.
    ///
    /// The method deletes up to `limit` invitations that the user sent. The method also removes the user's id from up
    /// to `limit` invitations that the user received. These invitations are then like invitations to a person without
    /// an account.
    package func forget(_ uid: UserID, of did: DeviceID, limit: Int) throws -> Int {
        try transaction.requireLock(of: did)
        try sql.run(
            """
            DELETE FROM sharing WHERE sharingId IN (
                SELECT sharingId FROM sharing WHERE inviterUid = $1 AND did = $2 LIMIT $3)
            """,
            uid,
            did,
            limit
        )
        let own = try sql.changes
        try sql.run(
            """
            UPDATE sharing SET guestUid = NULL WHERE sharingId IN (
                SELECT sharingId FROM sharing WHERE guestUid = $1 AND did = $2 LIMIT $3)
            """,
            uid,
            did,
            limit
        )
        return try own + sql.changes
    }
}

/// An invitation, together with the hash of the addressee's name or of the invitation's code.
struct SharingRow: TableRow {
    var sharing: Sharing
    var addresseeHash: [UInt8]?
    var codeHash: [UInt8]?

    static let table = Table<SharingRow>("sharing")

    static func map(_ column: inout ColumnMapper<SharingRow>) -> SharingRow {
        let sharing = Sharing(
            id: column("sharingId", \.sharing.id, as: .key),
            did: column("did", \.sharing.did),
            app: column("appId", \.sharing.app),
            inviter: column("inviterUid", \.sharing.inviter, as: .changing),
            guest: column("guestUid", \.sharing.guest, as: .changing),
            addressee: addressee(
                column("addresseeKind", \.sharing.addressee?.kind),
                column("addressee", \.sharing.addressee?.masked)
            ),
            way: column("way", \.sharing.way),
            access: column("access", \.sharing.access),
            guestMinutes: column("guestMinutes", \.sharing.guestMinutes),
            status: column("status", \.sharing.status, as: .changing),
            createdAt: column("createdAt", \.sharing.createdAt),
            expiresAt: column("expiresAt", \.sharing.expiresAt),
            acceptedAt: column("acceptedAt", \.sharing.acceptedAt, as: .changing),
            updatedAt: column("changedAt", \.sharing.updatedAt, as: .changing)
        )
        return SharingRow(
            sharing: sharing,
            addresseeHash: column("addresseeHash", \.addresseeHash),
            codeHash: column("codeHash", \.codeHash)
        )
    }

    private static func addressee(_ kind: Sharing.AddresseeKind?, _ masked: String?) -> Sharing.Addressee? {
        kind.map { Sharing.Addressee($0, masked: masked ?? "") }
    }
}
