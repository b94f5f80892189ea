/// A user's own grouping of devices.
package struct Home: Sendable, Equatable {
    /// Its id.
    package var id: HomeID
    /// The user that it belongs to.
    package var uid: UserID
    /// Its name, for people.
    package var name: String
    /// Where it is, in degrees; both or neither.
    package var place: Place?
    /// When it was made.
    package var createdAt: Instant

    /// A place on Earth, in degrees.
    package struct Place: Sendable, Equatable {
        /// North is positive.
        package var latitude: Double
        /// East is positive.
        package var longitude: Double

        /// Names a place.
        package init(latitude: Double, longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// The name of a home that the service makes by itself.
    package static let firstName = "Home"
    /// How many characters a name has.
    package static let nameLength = 1...64

    /// Describes a home.
    package init(id: HomeID, uid: UserID, name: String, place: Place?, createdAt: Instant) {
        self.id = id
        self.uid = uid
        self.name = name
        self.place = place
        self.createdAt = createdAt
    }
}
