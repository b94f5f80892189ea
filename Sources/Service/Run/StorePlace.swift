import PostgreSQL
package import ServiceSettings

/// The place of an installation's store: a file in its data directory, or a PostgreSQL database.
package struct StorePlace: Sendable {
    /// The database; nil for the file.
    private(set) var database: PostgresAddress?
    /// The maximum number of connections to the database.
    let connectionsMax: Int
    /// The file with the database's password; nil if libpq finds one or needs none.
    let passwordFile: String?
    /// The file with the key that seals secrets; nil for the data directory's key.
    let serverKeyFile: String?
    /// The file that the gate reads; nil for the data directory's file.
    let gateFile: String?
    /// Whether the gate's file is on another machine, where a feeder keeps it.
    let isGateElsewhere: Bool
    /// Whether only one writing transaction runs in the database at a time.
    let isOneWriter: Bool

    /// The file of the data directory, with the key beside it.
    package static let file = StorePlace(
        database: nil,
        connectionsMax: 0,
        passwordFile: nil,
        serverKeyFile: nil,
        gateFile: nil,
        isGateElsewhere: false,
        isOneWriter: false
    )

    /// Returns the same place with another database.
    func naming(_ database: PostgresAddress) -> StorePlace {
        var place = self
        place.database = database
        return place
    }
}

extension StorePlace {
    /// Creates the place that settings name.
    package init(_ settings: Settings) {
        self.init(
            database: settings.database,
            connectionsMax: settings.databaseConnections,
            passwordFile: settings.databasePasswordFile,
            serverKeyFile: settings.serverKeyFile,
            gateFile: settings.gateFile,
            isGateElsewhere: settings.isGateElsewhere,
            isOneWriter: settings.isOneWriter
        )
    }
}
