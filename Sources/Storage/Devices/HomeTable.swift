package import Domain

/// Users' homes and the devices in them; a device is in at most one home of each user.
package struct HomeTable: TransactionTable {
    let transaction: Transaction

    /// Returns a user's home; nil if there is no such home.
    package func find(_ id: HomeID, of uid: UserID) throws -> Home? {
        try sql.rows(of: Home.table, "WHERE homeId = $1 AND uid = $2", id, uid).first
    }

    /// Returns a user's homes, the oldest first.
    package func all(of uid: UserID) throws -> [Home] {
        try sql.rows(of: Home.table, "WHERE uid = $1 ORDER BY createdAt, homeId", uid)
    }

    /// Returns the devices in a home, in the order of their ids.
    package func devices(in id: HomeID) throws -> [DeviceID] {
        try sql.values("SELECT did FROM homeDevice WHERE homeId = $1 ORDER BY did", id)
    }

    /// Returns the user's home that contains a device, or nil.
    package func home(of did: DeviceID, _ uid: UserID) throws -> HomeID? {
        try sql.value("SELECT homeId FROM homeDevice WHERE uid = $1 AND did = $2", uid, did)
    }

    /// Stores a new or changed home.
    package func save(_ home: Home) throws {
        try transaction.requireLock(of: home.uid)
        try sql.run(Home.table.upsert, home)
    }

    /// Deletes a home; its devices are then in no home.
    package func delete(_ home: Home) throws {
        try transaction.requireLock(of: home.uid)
        try sql.run("DELETE FROM homeDevice WHERE homeId = $1", home.id)
        try sql.run("DELETE FROM home WHERE homeId = $1", home.id)
    }

    /// Deletes all homes of a user.
    package func deleteAll(of uid: UserID) throws {
        try transaction.requireLock(of: uid)
        try sql.run("DELETE FROM homeDevice WHERE uid = $1", uid)
        try sql.run("DELETE FROM home WHERE uid = $1", uid)
    }

    /// Moves a device into a user's home, and out of the previous home.
    package func put(_ did: DeviceID, into id: HomeID, of uid: UserID) throws {
        try transaction.requireLock(of: uid)
        try transaction.requireLock(of: did)
        try sql.run(
            """
            INSERT INTO homeDevice (uid, did, homeId) VALUES ($1, $2, $3)
            ON CONFLICT (uid, did) DO UPDATE SET homeId = excluded.homeId
            """,
            uid,
            did,
            id
        )
    }

    /// Takes a device out of the homes of some users.
    package func takeOut(_ did: DeviceID, of uids: [UserID]) throws {
        for uid in uids { try transaction.requireLock(of: uid, or: did) }
        try sql.run("DELETE FROM homeDevice WHERE uid = $1 AND did = $2", each: uids) { ($0, did) }
    }
}

extension Home: TableRow {
    package static let table = Table<Home>("home")

    package static func map(_ column: inout ColumnMapper<Home>) -> Home {
        let id = column("homeId", \.id, as: .key)
        let uid = column("uid", \.uid)
        let name = column("name", \.name, as: .changing)
        let latitude = column("latitude", \.place?.latitude, as: .changing)
        let longitude = column("longitude", \.place?.longitude, as: .changing)
        var place: Location?
        if let latitude, let longitude { place = Location(latitude: latitude, longitude: longitude) }
        return Home(id: id, uid: uid, name: name, place: place, createdAt: column("createdAt", \.createdAt))
    }
}
