package import Domain

/// Users.
package struct AccountTable: TransactionTable {
    let transaction: Transaction

    // MARK: Finding

    /// Returns one user; nil if there is no such user.
    package func find(_ uid: UserID) throws -> User? { try user(try sql.find(AccountRow.table, uid)) }

    /// Returns the user who can log in with a given name, or nil.
    package func find(_ name: LoginName, app: AppID, region: String) throws -> User? {
        let (condition, key) =
            switch name {
            case .address(.phone(let phone)): ("phone = $3 AND phoneVerified = 1", phone.text)
            case .address(.email(let email)): ("emailKey = $3 AND emailClaim > 0", email.key)
            case .username(let username): ("usernameKey = $3", username.key)
            case .external(let id): ("externalUid = $3", id)
            }
        return try query("appId = $1 AND region = $2 AND \(condition)", app, region, key)
    }

    /// Returns, oldest first, the users who registered with an e-mail address that another account already had.
    package func beside(_ email: EmailAddress, app: AppID, region: String, limit: Int) throws -> [User] {
        let uids = try sql.query(
            """
            SELECT uid FROM account
            WHERE appId = $1 AND region = $2 AND emailKey = $3 AND emailClaim < 0
            ORDER BY createdAt, uid LIMIT $4
            """,
            app,
            region,
            email.key,
            limit
        ) { $0.next(UserID.self) }
        return try uids.compactMap(find)
    }

    /// Returns the user who has verified a given address, or nil.
    package func find(proved address: Address, app: AppID, region: String) throws -> User? {
        try find(.address(address), app: app, region: region)
            .flatMap { $0.verifiedAddresses.contains(address) ? $0 : nil }
    }

    /// Returns the anonymous user whose installation has the secret `deviceID`, or nil.
    package func findAnonymous(deviceID: String, app: AppID, region: String) throws -> User? {
        try query(
            "appId = $1 AND region = $2 AND deviceIdHash = $3 AND anonymous = 1",
            app,
            region,
            transaction.hash(deviceID, boundTo: "deviceId")
        )
    }

    private func query<each Value: ColumnValue>(_ condition: String, _ values: repeat each Value) throws -> User? {
        let rows = try sql.rows(of: AccountRow.table, "WHERE \(condition)", repeat each values)
        return try user(rows.first)
    }

    private func user(_ row: AccountRow?) throws -> User? {
        guard var user = row?.user else { return nil }
        user.providers = try transaction.identities.all(of: user.uid).map(\.provider)
        return user
    }

    // MARK: Changing

    /// Adds a user and, if given, the hash of the installation's secret `deviceID`.
    package func insert(_ user: User, deviceID: String?) throws {
        transaction.lock(new: user.uid)
        let row = AccountRow(
            user: user,
            deviceIDHash: deviceID.map { transaction.hash($0, boundTo: "deviceId") },
            lastSeenAt: now
        )
        try sql.run(AccountRow.table.insert, row)
    }

    /// Stores a user's changes.
    package func save(_ user: User) throws {
        try transaction.requireLock(of: user.uid)
        try sql.run(AccountRow.table.update, AccountRow(user: user))
    }

    /// Returns whether the secret of an installation is stored for the user.
    package func hasDeviceID(_ uid: UserID) throws -> Bool {
        try sql.integer("SELECT 1 FROM account WHERE uid = $1 AND deviceIdHash IS NOT NULL", uid) != nil
    }

    /// Deletes the stored secret of the user's installation.
    package func forgetDeviceID(of uid: UserID) throws {
        try transaction.requireLock(of: uid)
        try sql.run("UPDATE account SET deviceIdHash = NULL WHERE uid = $1", uid)
    }

    /// Returns the users who have a given address, verified or not, or use it as their username.
    ///
    /// When a user verifies the address, `prove` changes only accounts of the returned users.
    package func holders(of address: Address, app: AppID, region: String) throws -> [UserID] {
        let (columns, key) =
            switch address {
            case .phone(let phone): (["phone", "pendingPhone"], phone.text)
            case .email(let email): (["emailKey", "pendingEmailKey", "usernameKey"], email.key)
            }
        // The queries are joined by UNION. With OR, the database would read all accounts of the app.
        let holders = columns.map { column in
            "SELECT uid FROM account WHERE appId = $1 AND region = $2 AND \(column) = $3"
        }
        return try sql.values(holders.joined(separator: " UNION "), app, region, key)
    }

    /// Removes an address, which a user has just verified, from all other accounts.
    ///
    /// Other accounts that haven't verified the address lose it. They also lose a username that is equal to the
    /// address. Links that were sent to the address for these accounts become invalid. The caller has locked all these
    /// accounts (`holders`).
    ///
    /// - Returns: False, with nothing changed, if another account has verified the address.
    package func prove(_ address: Address, for uid: UserID, app: AppID, region: String) throws -> Bool {
        if let owner = try find(proved: address, app: app, region: region), owner.uid != uid { return false }
        for other in try holders(of: address, app: app, region: region) where other != uid {
            try lose(address, other)
        }
        return true
    }

    private func lose(_ address: Address, _ uid: UserID) throws {
        guard var user = try find(uid) else { return }
        let before = user
        user.lose(address)
        try save(user)
        guard case .email(let email) = address else { return }
        if before.pendingEmail == email { try transaction.links.void(.verifyEmail, of: uid) }
        // If the lost address isn't the user's e-mail address, links that were sent to the e-mail address stay valid.
        guard before.email == email else { return }
        try transaction.links.void(.verifyEmail, of: uid)
        // A link for a new password may have been sent to the address, because the user registered with the address or
        // used it as the username.
        try transaction.links.void(.resetPassword, of: uid)
    }
}
