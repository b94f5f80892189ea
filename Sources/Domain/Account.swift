/// An app: a tenant with users and policies of its own (PROTOCOL 3).
package struct App: Sendable, Equatable {
    /// Which products an app sees.
    package enum Products: Sendable, Equatable {
        case all
        case only([ProductKey])

        /// Tells whether the app sees a product.
        package func contains(_ key: ProductKey) -> Bool {
            switch self {
            case .all: true
            case .only(let keys): keys.contains(key)
            }
        }
    }

    /// The app's id.
    package var id: AppID
    /// The app's name, for people.
    package var name: String
    /// Which products it sees.
    package var products: Products

    /// Describes an app.
    package init(id: AppID, name: String, products: Products) {
        self.id = id
        self.name = name
        self.products = products
    }
}

/// A user's account.
package struct User: Sendable, Equatable {
    /// The user's id, unique over all apps.
    package var uid: UserID
    /// The app that the user belongs to.
    package var app: AppID
    /// The region that the account lives in.
    package var region: String
    /// The country code that picked the region.
    package var countryCode: String
    /// A name for people.
    package var nickname: String
    /// Whether nobody has given the account a way to log in yet.
    package var isAnonymous: Bool
    /// 1 for °C, 2 for °F.
    package var tempUnit: Int64 = 1
    /// An IANA time zone.
    package var timezone: String = "UTC"
    /// Since when.
    package var createdAt: Instant

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
        self.uid = uid
        self.app = app
        self.region = region
        self.countryCode = countryCode
        self.nickname = nickname
        self.isAnonymous = isAnonymous
        self.createdAt = createdAt
    }
}
