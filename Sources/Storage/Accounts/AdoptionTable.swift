package import Domain
import Wire

/// Moves an anonymous user's possessions to the account that the user logged in to.
package struct AdoptionTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    /// Returns the devices that a user is bound to, the oldest binding first.
    package func devices(of uid: UserID) throws -> [DeviceID] {
        try sql.query("SELECT did FROM binding WHERE uid = $1 ORDER BY boundAt, did") {
            $0.add(uid.text)
        } row: {
            DeviceID(trusted: $0.text(0))
        }
    }

    /// Replaces the binding of an anonymous user and that of the account with one; schedules for the device
    /// pass to the account.
    package func move(_ binding: Binding, from uid: UserID) throws {
        if try transaction.bindings.find(binding.did, binding.uid) == nil {
            try transaction.bindings.insert(binding)
        } else {
            try replace(binding)
        }
        // They hang on the binding, and would go with the old one.
        try sql.run("UPDATE schedule SET uid = $1 WHERE did = $2 AND uid = $3") {
            $0.add(binding.uid.text)
            $0.add(binding.did.text)
            $0.add(uid.text)
        }
        try transaction.bindings.delete(binding.did, [uid])
    }

    private func replace(_ binding: Binding) throws {
        try sql.run(
            """
            UPDATE binding SET role = $1, access = $2, subscribed = $3, alias = $4, remark = $5,
                boundAt = $6, guestUntil = $7, sharingId = $8
            WHERE did = $9 AND uid = $10
            """
        ) {
            $0.add(binding.role.rawValue)
            $0.add(binding.access.rawValue)
            $0.add(binding.isSubscribed)
            $0.add(binding.alias)
            $0.add(binding.remark)
            $0.add(binding.boundAt.milliseconds)
            $0.add(binding.guestUntil?.milliseconds)
            $0.add(binding.sharing?.text)
            $0.add(binding.did.text)
            $0.add(binding.uid.text)
        }
    }

    /// Assigns open commands to another user, whose rights count when they are sent.
    package func give(_ commands: [Command], to uid: UserID) throws {
        try sql.run("UPDATE command SET actor = $1 WHERE did = $2 AND cid = $3", each: commands) {
            $0.add(EventCodec.stored(Actor(.user, uid.text, terminal: $1.actor.terminal)))
            $0.add($1.did.text)
            $0.add($1.cid)
        }
    }

    /// Moves a user's homes to another, at most `limit`, the oldest first; a device that is already in a home
    /// of the other user stays there.
    package func moveHomes(from uid: UserID, to account: UserID, limit: Int) throws {
        let moved = try transaction.homes.all(of: uid).prefix(max(0, limit)).map(\.id)
        try sql.run(
            """
            DELETE FROM homeDevice WHERE uid = $1
                AND did IN (SELECT h.did FROM homeDevice AS h WHERE h.uid = $2)
            """
        ) {
            $0.add(uid.text)
            $0.add(account.text)
        }
        for table in ["homeDevice", "home"] {
            try sql.run("UPDATE \(table) SET uid = $1 WHERE homeId = $2", each: moved) {
                $0.add(account.text)
                $0.add($1.text)
            }
        }
    }

    /// Returns the unfinished invitations that a user made or is the guest of.
    package func openSharings(of uid: UserID) throws -> [SharingID] {
        try sql.query(
            """
            SELECT sharingId FROM sharing
            WHERE inviterUid = $1 AND status IN ('pending', 'accepted')
            UNION SELECT sharingId FROM sharing
            WHERE guestUid = $1 AND status IN ('pending', 'accepted')
            """
        ) {
            $0.add(uid.text)
        } row: {
            SharingID(trusted: $0.text(0))
        }
    }
}
