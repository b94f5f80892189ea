import PostgreSQL
package import ServiceSettings

/// The location of an installation's store: a file in the data directory, or a PostgreSQL database.
package struct StorePlace: Sendable {
    private(set) var database: PostgresAddress?
    /// The maximum number of connections to the database.
    let connectionsMax: Int
    /// The file with the database's password, or nil if libpq needs no such file.
    let passwordFile: String?
    /// The file with the key that encrypts secrets, or nil if the data directory contains the key.
    let serverKeyFile: String?
    /// The file that the gate reads, or nil if the file is in the data directory or on another machine.
    let gateFile: String?
    /// Whether the gate's file is on another machine, where `lamplighter feed` writes it.
    let isGateElsewhere: Bool
    /// Whether the database runs only one write transaction at a time.
    let isOneWriter: Bool

    /// The database file in the data directory, with the key in the same directory.
    package static let file = StorePlace(
        database: nil,
        connectionsMax: 0,
        passwordFile: nil,
        serverKeyFile: nil,
        gateFile: nil,
        isGateElsewhere: false,
        isOneWriter: false
    )

    /// Returns a copy of this location that names another database.
    func naming(_ database: PostgresAddress) -> StorePlace {
        var place = self
        place.database = database
        return place
    }
}

extension StorePlace {
    /// Creates the location that the settings name.
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
