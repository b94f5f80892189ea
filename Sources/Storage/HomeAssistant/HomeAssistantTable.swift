package import Domain
package import JSON

/// A device that was announced to a user's Home Assistant by a retained message.
package struct AnnouncedDevice: Sendable, Equatable {
    /// The link's session.
    package var session: SessionID
    /// The device.
    package var did: DeviceID
    /// The link's user.
    package var uid: UserID
    /// All announced components, each reduced to its platform.
    ///
    /// A later message removes a component by containing only the component's platform.
    package var components: JSONObject
    /// The digest of the last message that announced the device.
    package var hash: [UInt8]

    /// Makes a record of an announcement.
    package init(session: SessionID, did: DeviceID, uid: UserID, components: JSONObject, hash: [UInt8]) {
        self.session = session
        self.did = did
        self.uid = uid
        self.components = components
        self.hash = hash
    }
}

/// The devices that were announced to users' Home Assistants.
///
/// A device's row stays until a message removes the device from Home Assistant. The end of the session doesn't delete
/// the row.
package struct HomeAssistantTable: TransactionTable {
    let transaction: Transaction

    /// Returns the devices that were announced to a user.
    package func all(of uid: UserID) throws -> [AnnouncedDevice] {
        try sql.rows(of: AnnouncedDevice.table, "WHERE uid = $1 ORDER BY sessionId, did", uid)
    }

    /// Returns the users to whom devices were announced.
    package func users() throws -> [UserID] { try sql.values("SELECT DISTINCT uid FROM homeAssistant") }

    /// Records that a device was announced, or announced again.
    package func save(_ device: AnnouncedDevice) throws { try sql.run(AnnouncedDevice.table.upsert, device) }

    /// Deletes the record of a device whose announcement was removed.
    package func delete(_ device: AnnouncedDevice) throws {
        try sql.run("DELETE FROM homeAssistant WHERE sessionId = $1 AND did = $2", device.session, device.did)
    }

    /// Makes the announcer publish everything again, because the broker may have lost its retained messages.
    package func announceAgain() throws {
        try sql.run("UPDATE homeAssistant SET hash = $1", [UInt8]())
        // The announcer checks all users whenever the catalog's number (`MetaTable.catalogEpoch`) grows.
        if try sql.changes > 0 { try transaction.meta.raiseCatalogEpoch() }
    }
}

extension AnnouncedDevice: TableRow {
    package static let table = Table<AnnouncedDevice>("homeAssistant")

    package static func map(_ column: inout ColumnMapper<AnnouncedDevice>) -> AnnouncedDevice {
        AnnouncedDevice(
            session: column("sessionId", \.session, as: .key),
            did: column("did", \.did, as: .key),
            uid: column("uid", \.uid),
            components: column("components", \.components, as: .changing),
            hash: column("hash", \.hash, as: .changing)
        )
    }
}
