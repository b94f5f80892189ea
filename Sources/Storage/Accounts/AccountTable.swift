package import Domain
import JSON
import Wire

/// Users.
package struct AccountTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    private static let names = [
        "uid", "appId", "region", "countryCode", "nickname", "anonymous", "tempUnit", "timezone",
        "createdAt", "username", "usernameKey", "phone", "phoneCountry", "phoneVerified", "email",
        "emailKey", "emailClaim", "externalUid", "passwordHash", "profile", "avatar", "avatarUrl",
        "phoneSince", "emailSince", "pendingPhone", "pendingPhoneCountry", "pendingEmail",
        "pendingEmailKey", "lastLoginAt",
    ]
    private static let columns = names.joined(separator: ", ")

    // MARK: Finding

    /// Returns one user, or nil.
    package func find(_ uid: UserID) throws -> User? {
        try query("uid = $1") { $0.add(uid.text) }
    }

    /// Returns the user who logs in with a name, or nil; a merely recorded address does not log in.
    package func find(_ name: LoginName, app: AppID, region: String) throws -> User? {
        let (condition, key) =
            switch name {
            case .phone(let phone): ("phone = $3 AND phoneVerified = 1", phone.text)
            case .email(let email): ("emailKey = $3 AND emailClaim > 0", email.key)
            case .username(let username): ("usernameKey = $3", username.key)
            case .external(let id): ("externalUid = $3", id)
            }
        return try query("appId = $1 AND region = $2 AND \(condition)") {
            $0.add(app.text)
            $0.add(region)
            $0.add(key)
        }
    }

    /// Returns users who registered with an e-mail address while another had it, the first ones first.
    package func beside(
        _ email: EmailAddress,
        app: AppID,
        region: String,
        limit: Int
    ) throws -> [User] {
        let uids = try sql.query(
            """
            SELECT uid FROM account
            WHERE appId = $1 AND region = $2 AND emailKey = $3 AND emailClaim < 0
            ORDER BY createdAt, uid LIMIT $4
            """
        ) {
            $0.add(app.text)
            $0.add(region)
            $0.add(email.key)
            $0.add(limit)
        } row: {
            UserID(trusted: $0.text(0))
        }
        return try uids.compactMap(find)
    }

    /// Returns the user who verified an address, or nil.
    package func find(proved address: Address, app: AppID, region: String) throws -> User? {
        try find(LoginName(address), app: app, region: region)
            .flatMap { $0.verifiedAddresses.contains(address) ? $0 : nil }
    }

    /// Returns the anonymous user that an installation's secret stands for, or nil.
    package func findAnonymous(
        deviceID: String,
        app: AppID,
        region: String
    ) throws -> User? {
        try query("appId = $1 AND region = $2 AND deviceIdHash = $3 AND anonymous = 1") {
            $0.add(app.text)
            $0.add(region)
            $0.add(bytes: transaction.hash(deviceID, boundTo: "deviceId"))
        }
    }

    private func query(_ condition: String, _ bind: (inout Binder) -> Void) throws -> User? {
        let found = try sql.query(
            "SELECT \(Self.columns) FROM account WHERE \(condition)",
            bind
        ) {
            Self.user($0)
        }
        guard var user = found.first else { return nil }
        user.providers = try transaction.identities.all(of: user.uid).map(\.provider)
        return user
    }

    private static func user(_ row: Row) -> User {
        var user = User(
            uid: UserID(trusted: row.text(0)),
            app: AppID(trusted: row.text(1)),
            region: row.text(2),
            countryCode: row.text(3),
            nickname: row.text(4),
            isAnonymous: row.bool(5),
            createdAt: Instant(milliseconds: row.integer(8))
        )
        let profile = row.withBytes(19, text: true) { try? JSONValue.parse($0).objectValue }
        if let profile, let read = try? ProfileCodec.decode(stored: Fields(profile)) {
            user.profile.merge(read)
        }
        user.tempUnit = row.integer(6)
        // Empty where the user set none; older profiles hold a default then.
        user.profile.timezone = row.text(7).isEmpty ? nil : row.text(7)
        user.username = row.optionalText(9)
        user.ownsUsername = row.optionalText(10) != nil
        user.phone = row.optionalText(11).map {
            Phone(trusted: $0, countryCode: row.text(12))
        }
        user.isPhoneVerified = row.bool(13)
        user.email = row.optionalText(14).map { EmailAddress(trusted: $0) }
        user.emailClaim = User.EmailClaim(rawValue: row.integer(16)) ?? .given
        user.externalUID = row.optionalText(17)
        user.passwordHash = row.optionalText(18)
        user.avatar = row.optionalText(20)
        user.avatarURL = row.optionalText(21)
        user.phoneSince = row.optionalInteger(22).map { Instant(milliseconds: $0) }
        user.emailSince = row.optionalInteger(23).map { Instant(milliseconds: $0) }
        user.pendingPhone = row.optionalText(24).map {
            Phone(trusted: $0, countryCode: row.text(25))
        }
        user.pendingEmail = row.optionalText(26).map { EmailAddress(trusted: $0) }
        user.lastLoginAt = row.optionalInteger(28).map { Instant(milliseconds: $0) }
        return user
    }

    // MARK: Changing

    /// Adds a user; the installation's secret is kept hashed.
    package func insert(_ user: User, deviceID: String?) throws {
        let places = (1...Self.names.count + 2).map { "$\($0)" }.joined(separator: ", ")
        try sql.run(
            "INSERT INTO account (\(Self.columns), deviceIdHash, lastSeenAt) VALUES (\(places))"
        ) {
            $0.add(user.uid.text)
            $0.add(user.app.text)
            $0.add(user.region)
            Self.bind(user, &$0)
            $0.add(bytes: deviceID.map { transaction.hash($0, boundTo: "deviceId") })
            $0.add(transaction.now.milliseconds)
        }
    }

    /// Stores a user's changes.
    package func save(_ user: User) throws {
        let names = Self.names.dropFirst(3)
        let sets = names.enumerated().map { place, name in "\(name) = $\(place + 1)" }
            .joined(separator: ", ")
        try sql.run("UPDATE account SET \(sets) WHERE uid = $\(names.count + 1)") {
            Self.bind(user, &$0)
            $0.add(user.uid.text)
        }
    }

    private static func bind(_ user: User, _ binder: inout Binder) {
        let ownName = user.ownsUsername ? user.username : nil
        binder.add(user.countryCode)
        binder.add(user.nickname)
        binder.add(user.isAnonymous)
        binder.add(user.tempUnit)
        binder.add(user.profile.timezone ?? "")
        binder.add(user.createdAt.milliseconds)
        binder.add(user.username)
        binder.add(ownName.flatMap { try? Username($0).key })
        binder.add(user.phone?.text)
        binder.add(user.phone?.countryCode)
        binder.add(user.phone != nil && user.isPhoneVerified)
        binder.add(user.email?.text)
        binder.add(user.email?.key)
        binder.add(user.email == nil ? 0 : user.emailClaim.rawValue)
        binder.add(user.externalUID)
        binder.add(user.passwordHash)
        binder.add(text: ProfileCodec.encode(user.profile).encoded())
        binder.add(user.avatar)
        binder.add(user.avatarURL)
        binder.add(user.phoneSince?.milliseconds)
        binder.add(user.emailSince?.milliseconds)
        binder.add(user.pendingPhone?.text)
        binder.add(user.pendingPhone?.countryCode)
        binder.add(user.pendingEmail?.text)
        binder.add(user.pendingEmail?.key)
        binder.add(user.lastLoginAt?.milliseconds)
    }

    /// Tells whether an installation's secret leads back to this user.
    package func hasDeviceID(_ uid: UserID) throws -> Bool {
        try sql.integer("SELECT 1 FROM account WHERE uid = $1 AND deviceIdHash IS NOT NULL") {
            $0.add(uid.text)
        } != nil
    }

    /// Forgets the secret of the user's installation.
    package func forgetDeviceID(of uid: UserID) throws {
        try sql.run("UPDATE account SET deviceIdHash = NULL WHERE uid = $1") { $0.add(uid.text) }
    }

    /// Assigns a verified address to its owner.
    ///
    /// Accounts that held it unverified lose it, as do usernames equal to it; links sent to it become void.
    ///
    /// - Returns: False, with nothing changed, when another account has verified it.
    package func prove(
        _ address: Address,
        for uid: UserID,
        app: AppID,
        region: String
    ) throws
        -> Bool
    {
        if let owner = try find(proved: address, app: app, region: region), owner.uid != uid {
            return false
        }
        let (columns, key) =
            switch address {
            case .phone(let phone): (["phone", "pendingPhone"], phone.text)
            case .email(let email): (["emailKey", "pendingEmailKey", "usernameKey"], email.key)
            }
        // Not OR: that would read all accounts of the app.
        let holders = columns.map { column in
            "SELECT uid FROM account WHERE appId = $1 AND region = $2 AND \(column) = $3"
                + " AND uid <> $4"
        }
        let others = try sql.query(holders.joined(separator: " UNION ")) {
            $0.add(app.text)
            $0.add(region)
            $0.add(key)
            $0.add(uid.text)
        } row: {
            UserID(trusted: $0.text(0))
        }
        for other in others { try lose(address, other) }
        return true
    }

    private func lose(_ address: Address, _ uid: UserID) throws {
        guard var user = try find(uid) else { return }
        let before = user
        user.lose(address)
        try save(user)
        guard case .email(let email) = address else { return }
        if before.pendingEmail == email { try transaction.links.void(.verifyEmail, of: uid) }
        // Where only the username equals it, the user's own address stays, with the links sent there.
        guard before.email == email else { return }
        try transaction.links.void(.verifyEmail, of: uid)
        // Asked for by a username that was the address.
        try transaction.links.void(.resetPassword, of: uid)
    }
}
