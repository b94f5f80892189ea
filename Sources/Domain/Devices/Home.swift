/// A home: a user's group of devices.
package struct Home: Sendable, Equatable {
    /// The home's id.
    package var id: HomeID
    /// The user to whom the home belongs.
    package var uid: UserID
    /// The home's display name.
    package var name: String
    /// The home's latitude and longitude in degrees, if known.
    package var place: Location?
    /// The creation time.
    package var createdAt: Instant

    /// The name of a home that the service makes automatically.
    package static let firstName = "Home"
    /// The allowed length of a name, in characters.
    package static let nameLength = 1...64

    /// Makes a home.
    package init(id: HomeID, uid: UserID, name: String, place: Location?, createdAt: Instant) {
        self.id = id
        self.uid = uid
        self.name = name
        self.place = place
        self.createdAt = createdAt
    }
}
