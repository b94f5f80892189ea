/// A user's own grouping of devices.
package struct Home: Sendable, Equatable {
    /// Its id.
    package var id: HomeID
    /// The user that it belongs to.
    package var uid: UserID
    /// Its display name.
    package var name: String
    /// Its place, in degrees, if known.
    package var place: Location?
    /// The creation time.
    package var createdAt: Instant

    /// The name of a home that the service makes automatically.
    package static let firstName = "Home"
    /// The length of a name, in characters.
    package static let nameLength = 1...64

    /// Describes a home.
    package init(id: HomeID, uid: UserID, name: String, place: Location?, createdAt: Instant) {
        self.id = id
        self.uid = uid
        self.name = name
        self.place = place
        self.createdAt = createdAt
    }
}
