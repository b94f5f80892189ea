package import Domain

/// Transfers an anonymous user's possessions to the account that the user logs in to.
package struct AdoptionTable: TransactionTable {
    let transaction: Transaction

    /// Returns the devices that a user is bound to, the oldest binding first.
    package func devices(of uid: UserID) throws -> [DeviceID] {
        try sql.values("SELECT did FROM binding WHERE uid = $1 ORDER BY boundAt, did", uid)
    }

    /// Stores the account's `binding`, and deletes the anonymous user's binding to the same device.
    ///
    /// The schedules of the deleted binding move to the account's binding.
    package func move(_ binding: Binding, from uid: UserID) throws {
        try transaction.requireLock(of: binding.did)
        if try transaction.bindings.find(binding.did, binding.uid) == nil {
            try transaction.bindings.insert(binding)
        } else {
            try sql.run(Binding.table.update, binding)
        }
        // Schedules refer to the binding, so they would be deleted with the old binding.
        try sql.run("UPDATE schedule SET uid = $1 WHERE did = $2 AND uid = $3", binding.uid, binding.did, uid)
        try transaction.bindings.delete(binding.did, [uid])
    }

    /// Assigns open commands to another user.
    ///
    /// Before a waiting command is sent, the service checks the rights of the command's user.
    package func give(_ commands: [Command], to uid: UserID) throws {
        try transaction.requireLocks(of: commands.map(\.did))
        try sql.run(
            "UPDATE command SET actorId = $1 WHERE did = $2 AND cid = $3 AND actorKind = 'user'",
            each: commands
        ) { (uid, $0.did, $0.cid) }
        try sql.run("UPDATE command SET uid = $1 WHERE did = $2 AND cid = $3 AND uid IS NOT NULL", each: commands) {
            (uid, $0.did, $0.cid)
        }
    }

    /// Moves a user's homes, the oldest first, to an account.
    ///
    /// A device that is already in a home of the account stays there.
    package func moveHomes(from uid: UserID, to account: UserID, limit: Int) throws {
        try transaction.requireLock(of: uid)
        try transaction.requireLock(of: account)
        let moved = try transaction.homes.all(of: uid).prefix(max(0, limit)).map(\.id)
        try sql.run(
            "DELETE FROM homeDevice WHERE uid = $1 AND did IN (SELECT h.did FROM homeDevice AS h WHERE h.uid = $2)",
            uid,
            account
        )
        for table in ["homeDevice", "home"] {
            try sql.run("UPDATE \(table) SET uid = $1 WHERE homeId = $2", each: moved) { (account, $0) }
        }
    }

    /// Returns the pending and the accepted invitations that a user sent or received.
    package func openSharings(of uid: UserID) throws -> [SharingID] {
        try sql.values(
            """
            SELECT sharingId FROM sharing
            WHERE inviterUid = $1 AND status IN ('pending', 'accepted')
            UNION SELECT sharingId FROM sharing
            WHERE guestUid = $1 AND status IN ('pending', 'accepted')
            """,
            uid
        )
    }
}
