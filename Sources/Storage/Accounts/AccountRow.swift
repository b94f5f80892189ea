import Domain
import JSON

/// A row of the account table: the user, and the columns that `User` doesn't contain.
struct AccountRow: TableRow {
    var user: User
    /// The hash of the secret with which an anonymous user's installation of the app logs in.
    var deviceIDHash: [UInt8]?
    /// When the user was last seen, exact to the hour.
    var lastSeenAt: Instant?

    static let table = Table<AccountRow>("account")

    static func map(_ column: inout ColumnMapper<AccountRow>) -> AccountRow {
        var user = User(
            uid: column("uid", \.user.uid, as: .key),
            app: column("appId", \.user.app),
            region: column("region", \.user.region),
            countryCode: column("countryCode", \.user.countryCode, as: .changing),
            nickname: column("nickname", \.user.nickname, as: .changing),
            isAnonymous: column("anonymous", \.user.isAnonymous, as: .changing),
            createdAt: column("createdAt", \.user.createdAt)
        )
        let profile = column("profile", \.user.profileDocument, as: .changing)
        if let read = try? ProfileCodec.decode(stored: Fields(profile)) { user.profile.merge(read) }
        user.tempUnit = column("tempUnit", \.user.tempUnit, as: .changing)
        // This column overrides the profile's time zone. Older profiles contain a default time zone that the user may
        // not have chosen.
        let timezone = column("timezone", { $0.user.profile.timezone ?? "" }, as: .changing)
        user.profile.timezone = timezone.isEmpty ? nil : timezone
        user.passwordHash = column("passwordHash", \.user.passwordHash, as: .changing)
        user.avatar = column("avatar", \.user.avatar, as: .changing)
        user.avatarURL = column("avatarUrl", \.user.avatarURL, as: .changing)
        user.lastLoginAt = column("lastLoginAt", \.user.lastLoginAt, as: .changing)
        mapNames(&column, of: &user)
        mapPending(&column, of: &user)
        return AccountRow(
            user: user,
            deviceIDHash: column("deviceIdHash", \.deviceIDHash),
            lastSeenAt: column("lastSeenAt", \.lastSeenAt)
        )
    }

    /// Maps the columns of the user's login names and addresses.
    private static func mapNames(_ column: inout ColumnMapper<AccountRow>, of user: inout User) {
        user.username = column("username", \.user.username, as: .changing)
        user.ownsUsername = column("usernameKey", \.user.usernameKey, as: .changing) != nil
        user.phone = phone(
            column("phone", \.user.phone?.text, as: .changing),
            column("phoneCountry", \.user.phone?.countryCode, as: .changing)
        )
        user.isPhoneVerified =
            column("phoneVerified", { $0.user.phone != nil && $0.user.isPhoneVerified }, as: .changing)
        user.phoneSince = column("phoneSince", \.user.phoneSince, as: .changing)
        user.email = column("email", \.user.email?.text, as: .changing)
            .map { EmailAddress(trusted: $0) }
        _ = column("emailKey", \.user.email?.key, as: .changing)
        let claim =
            column("emailClaim", { $0.user.email == nil ? 0 : $0.user.emailClaim.rawValue }, as: .changing)
        user.emailClaim = User.EmailClaim(rawValue: claim) ?? .given
        user.emailSince = column("emailSince", \.user.emailSince, as: .changing)
        user.externalUID = column("externalUid", \.user.externalUID, as: .changing)
    }

    /// Maps the columns of the addresses that the user has not verified yet.
    private static func mapPending(_ column: inout ColumnMapper<AccountRow>, of user: inout User) {
        user.pendingPhone = phone(
            column("pendingPhone", \.user.pendingPhone?.text, as: .changing),
            column("pendingPhoneCountry", \.user.pendingPhone?.countryCode, as: .changing)
        )
        user.pendingEmail = column("pendingEmail", \.user.pendingEmail?.text, as: .changing)
            .map { EmailAddress(trusted: $0) }
        _ = column("pendingEmailKey", \.user.pendingEmail?.key, as: .changing)
    }

    private static func phone(_ number: String?, _ country: String?) -> Phone? {
        number.map { Phone(trusted: $0, countryCode: country ?? "") }
    }
}

extension User {
    /// The user's profile as a document.
    fileprivate var profileDocument: JSONObject { ProfileCodec.encode(profile) }
    /// The username's key in the index.
    ///
    /// The key is nil if the user has no username, or if the username is only the phone number.
    fileprivate var usernameKey: String? { ownsUsername ? username.flatMap { try? Username($0).key } : nil }
}
