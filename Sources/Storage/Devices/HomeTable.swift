package import Domain

/// Users' homes and the devices in them; a device is in one home of each of its users at most.
package struct HomeTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    private static let columns = "homeId, uid, name, latitude, longitude, createdAt"

    private static func home(_ row: Row) -> Home {
        var place: Home.Place?
        if let latitude = row.optionalDouble(3), let longitude = row.optionalDouble(4) {
            place = Home.Place(latitude: latitude, longitude: longitude)
        }
        return Home(
            id: HomeID(trusted: row.text(0)),
            uid: UserID(trusted: row.text(1)),
            name: row.text(2),
            place: place,
            createdAt: Instant(milliseconds: row.integer(5))
        )
    }

    /// Returns a user's home, or nil.
    package func find(_ id: HomeID, of uid: UserID) throws -> Home? {
        try sql.query("SELECT \(Self.columns) FROM home WHERE homeId = $1 AND uid = $2") {
            $0.add(id.text)
            $0.add(uid.text)
        } row: {
            Self.home($0)
        }.first
    }

    /// Returns a user's homes, the oldest first.
    package func all(of uid: UserID) throws -> [Home] {
        try sql.query(
            "SELECT \(Self.columns) FROM home WHERE uid = $1 ORDER BY createdAt, homeId"
        ) {
            $0.add(uid.text)
        } row: {
            Self.home($0)
        }
    }

    /// Returns the devices in a home, in the order of their ids.
    package func devices(in id: HomeID) throws -> [DeviceID] {
        try sql.query("SELECT did FROM homeDevice WHERE homeId = $1 ORDER BY did") {
            $0.add(id.text)
        } row: {
            DeviceID(trusted: $0.text(0))
        }
    }

    /// Returns which of a user's homes a device is in, or nil.
    package func home(of did: DeviceID, _ uid: UserID) throws -> HomeID? {
        try sql.query("SELECT homeId FROM homeDevice WHERE uid = $1 AND did = $2") {
            $0.add(uid.text)
            $0.add(did.text)
        } row: {
            HomeID(trusted: $0.text(0))
        }.first
    }

    /// Stores a home, new or changed.
    package func save(_ home: Home) throws {
        try sql.run(
            """
            INSERT INTO home (\(Self.columns)) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (homeId) DO UPDATE SET name = excluded.name,
                latitude = excluded.latitude, longitude = excluded.longitude
            """
        ) {
            $0.add(home.id.text)
            $0.add(home.uid.text)
            $0.add(home.name)
            $0.add(home.place?.latitude)
            $0.add(home.place?.longitude)
            $0.add(home.createdAt.milliseconds)
        }
    }

    /// Deletes a home; its devices are in none then.
    package func delete(_ id: HomeID) throws {
        try sql.run("DELETE FROM homeDevice WHERE homeId = $1") { $0.add(id.text) }
        try sql.run("DELETE FROM home WHERE homeId = $1") { $0.add(id.text) }
    }

    /// Deletes all homes of a user.
    package func deleteAll(of uid: UserID) throws {
        try sql.run("DELETE FROM homeDevice WHERE uid = $1") { $0.add(uid.text) }
        try sql.run("DELETE FROM home WHERE uid = $1") { $0.add(uid.text) }
    }

    /// Puts a device into a user's home, out of the one where it was.
    package func put(_ did: DeviceID, into id: HomeID, of uid: UserID) throws {
        try sql.run(
            """
            INSERT INTO homeDevice (uid, did, homeId) VALUES ($1, $2, $3)
            ON CONFLICT (uid, did) DO UPDATE SET homeId = excluded.homeId
            """
        ) {
            $0.add(uid.text)
            $0.add(did.text)
            $0.add(id.text)
        }
    }

    /// Takes a device out of the homes of some users.
    package func takeOut(_ did: DeviceID, of uids: [UserID]) throws {
        try sql.run("DELETE FROM homeDevice WHERE uid = $1 AND did = $2", each: uids) {
            $0.add($1.text)
            $0.add(did.text)
        }
    }
}
