import PostgreSQL
package import ServiceSettings

/// Where an installation's store is: a file of its data directory, or a database of PostgreSQL's.
package struct StorePlace: Sendable {
    /// The database; nil for the file.
    private(set) var database: PostgresAddress?
    /// The most connections to the database.
    let connectionsMax: Int
    /// The file with the database's password; nil where libpq finds one, or needs none.
    let passwordFile: String?
    /// The file with the key that seals secrets; nil for that of the data directory.
    let serverKeyFile: String?
    /// The file that the gate reads; nil for that of the data directory.
    let gateFile: String?
    /// Whether the gate's file is on another machine, where a feeder keeps it.
    let isGateElsewhere: Bool
    /// Whether no two transactions that write run at once in the database.
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

    /// The same with another database.
    func naming(_ database: PostgresAddress) -> StorePlace {
        var place = self
        place.database = database
        return place
    }
}

extension StorePlace {
    /// The place that settings name.
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
