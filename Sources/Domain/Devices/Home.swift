/// A user's own grouping of devices.
package struct Home: Sendable, Equatable {
    /// Its id.
    package var id: HomeID
    /// The user that it belongs to.
    package var uid: UserID
    /// Its name, for people.
    package var name: String
    /// Where it is, in degrees; both or neither.
    package var place: Location?
    /// When it was made.
    package var createdAt: Instant

    /// The name of a home that the service makes by itself.
    package static let firstName = "Home"
    /// How many characters a name has.
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
