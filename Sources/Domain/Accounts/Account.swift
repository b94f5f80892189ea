/// An app: a tenant with its own users and policies.
package struct App: Sendable, Equatable {
    /// The products that an app sees.
    package enum Products: Sendable, Equatable {
        case all
        case only([ProductKey])

        /// Returns whether the app sees a product.
        package func contains(_ key: ProductKey) -> Bool {
            switch self {
            case .all: true
            case .only(let keys): keys.contains(key)
            }
        }

        /// Returns those of the `asked` products that the app sees.
        ///
        /// In `asked` and in the result, nil stands for all products.
        package func among(_ asked: [ProductKey]?) -> [ProductKey]? {
            switch self {
            case .all: asked
            case .only(let keys): asked.map { $0.filter(keys.contains) } ?? keys
            }
        }
    }

    /// The app's id.
    package var id: AppID
    /// The app's display name.
    package var name: String
    /// The products that the app sees.
    package var products: Products
    /// The app's policies.
    package var policies: AppPolicies
    /// The app's settings for identity providers.
    package var providers: [ProviderName: ProviderSettings]
    /// The app's settings for push services.
    package var push: PushSettings

    /// Makes an app.
    package init(
        id: AppID,
        name: String,
        products: Products,
        policies: AppPolicies = AppPolicies(),
        providers: [ProviderName: ProviderSettings] = [:],
        push: PushSettings = PushSettings()
    ) {
        self.id = id
        self.name = name
        self.products = products
        self.policies = policies
        self.providers = providers
        self.push = push
    }
}

/// A user's account.
package struct User: Sendable, Equatable {
    /// The user's id, unique over all apps.
    package var uid: UserID
    /// The app that the user belongs to.
    package var app: AppID
    /// The region of the account.
    package var region: String
    /// The country code that determined the region.
    package var countryCode: String
    /// The profile that the user entered.
    package var profile: Profile
    /// True if the account has no way to log in yet.
    package var isAnonymous: Bool
    /// The user's login name, which is the phone number after registration by phone.
    package var username: String?
    /// Whether `username` is a separate name, not the phone number used to register.
    package var ownsUsername = true
    /// The phone number.
    package var phone: Phone?
    /// Whether the user has verified the phone number, and can therefore log in with it.
    package var isPhoneVerified = false
    /// The new phone number, which replaces `phone` once the user verifies it with a code.
    package var pendingPhone: Phone?
    /// When the account got its phone number, or nil if it had the number from the start.
    package var phoneSince: Instant?
    /// The e-mail address.
    package var email: EmailAddress?
    /// The account's right to the e-mail address.
    package var emailClaim = EmailClaim.given
    /// The e-mail address that replaces `email` once the user verifies it.
    package var pendingEmail: EmailAddress?
    /// When the account got its e-mail address, or nil if it had the address from the start.
    package var emailSince: Instant?
    /// The app's own id for the user.
    package var externalUID: String?
    /// The password's hash, which never leaves the service.
    package var passwordHash: String?
    /// The digest of the user's picture.
    package var avatar: String?
    /// The URL of a picture from an identity provider, shown until the user sets a picture.
    package var avatarURL: String?
    /// The identity providers that the user logs in with.
    package var providers: [String] = []
    /// The creation time.
    package var createdAt: Instant
    /// The time of the last login, or nil before the first login.
    package var lastLoginAt: Instant?

    /// An account's right to the e-mail address in its profile.
    package enum EmailClaim: Int64, Sendable {
        /// The account was registered with an address that already belonged to another account.
        ///
        /// Both accounts can log in with the address. A refused registration would have revealed the other account.
        case beside = -1
        /// The address is only recorded, and the account has no right to it.
        case given = 0
        /// The user registered with this unverified address, and can log in with it until another account verifies it.
        case registered = 1
        /// The user verified the address.
        case verified = 2
    }

    /// The display name.
    package var nickname: String {
        get { profile.nickname ?? "" }
        set { profile.nickname = newValue }
    }
    /// The temperature unit: 1 for °C, 2 for °F.
    package var tempUnit: Int64 {
        get { profile.tempUnit ?? 1 }
        set { profile.tempUnit = newValue }
    }
    /// The user's IANA time zone.
    ///
    /// If the user has set no zone, the zone is that of the user's country. If the country is unknown or has several
    /// zones, the zone is UTC.
    package var timezone: String {
        get { profile.timezone ?? CountryZone.name(of: countryCode) ?? "UTC" }
        set { profile.timezone = newValue }
    }
    /// Whether the user verified the e-mail address.
    package var isEmailVerified: Bool { email != nil && emailClaim == .verified }

    /// The addresses that the user verified.
    package var verifiedAddresses: [Address] {
        var addresses: [Address] = []
        if let phone, isPhoneVerified { addresses.append(.phone(phone)) }
        if let email, isEmailVerified { addresses.append(.email(email)) }
        return addresses
    }

    /// The account's names; the password must differ from each of them.
    package var names: [String] { [username, phone?.text, email?.text, externalUID].compactMap(\.self) }

    /// The number of ways in which the user can log in.
    package var waysIn: Int {
        let hasName = (username != nil && ownsUsername) || externalUID != nil || (email != nil && emailClaim != .given)
        let byPassword = passwordHash != nil && (hasName || isPhoneVerified) ? 1 : 0
        return verifiedAddresses.count + providers.count + byPassword
    }

    /// Makes a user.
    package init(
        uid: UserID,
        app: AppID,
        region: String,
        countryCode: String,
        nickname: String,
        isAnonymous: Bool,
        createdAt: Instant
    ) {
        (self.uid, self.app, self.region, self.countryCode) = (uid, app, region, countryCode)
        profile = Profile()
        profile.nickname = nickname
        (self.isAnonymous, self.createdAt) = (isAnonymous, createdAt)
    }
}

extension User {
    /// Removes an address, and also the username if it equals the address.
    package mutating func lose(_ address: Address) {
        if pending(like: address) == address { dropPending(like: address) }
        switch address {
        case .phone(let lost):
            guard phone == lost else { return }
            if !ownsUsername, username == phone?.text { username = nil }
            (phone, isPhoneVerified, phoneSince) = (nil, false, nil)
        case .email(let lost):
            if email == lost { (email, emailClaim, emailSince) = (nil, .given, nil) }
            if ownsUsername, let own = username, (try? Username(own))?.key == lost.key { username = nil }
        }
    }

    /// Returns the time at which the account got its phone number or e-mail address.
    ///
    /// The result is nil if the account has always had the number or address.
    package func since(_ address: Address) -> Instant? { address.isPhone ? phoneSince : emailSince }

    /// Sets the account's verified phone number or e-mail address.
    ///
    /// `since` is nil if the account has always had the number or address.
    package mutating func gain(_ address: Address, since: Instant?) {
        dropPending(like: address)
        switch address {
        case .phone(let new):
            if !ownsUsername, username == phone?.text, username != nil { username = new.text }
            (phone, isPhoneVerified, phoneSince) = (new, true, since)
        case .email(let new):
            (email, emailClaim, emailSince) = (new, .verified, since)
        }
    }
}
