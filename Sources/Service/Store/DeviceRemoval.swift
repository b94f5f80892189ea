package import Domain
package import ServiceSettings
package import Storage
import Workers

/// The removal of a device from the store, with everything that belongs to it.
package enum DeviceRemoval {
    /// A summary of the data removed with a device, for the operator who is about to forget it.
    package struct Summary: Sendable, Equatable {
        /// Users who lose the device.
        package var users: [UserID]
        /// The number of open invitations to it.
        package var invitations: Int
        /// The number of schedules that end, of all its users.
        package var schedules: Int
        /// The number of unfinished commands.
        package var commands: Int
        /// The number of records in its history.
        package var records: Int64

        /// Reads the summary without changing anything.
        package init(of did: DeviceID, in tx: Transaction) throws {
            users = try tx.bindings.all(of: did).map(\.uid)
            invitations = try tx.sharings.open(of: did).count
            schedules = Int(try tx.schedules.count(ofDevice: did))
            commands = try tx.commands.open(did).count
            records = try tx.history.count(did)
        }
    }

    /// Forgets a device, on an operator's request: its bindings, commands and invitations end, its
    /// users' retained statuses are cleared, its secret becomes void.
    ///
    /// The messages for its users are left in the store's outbox: a running service publishes them
    /// within half a second, a stopped service when it starts.
    ///
    /// - Returns: The users that were bound to it; nil if there is no such device.
    package static func run(
        _ did: DeviceID,
        in store: Store,
        _ settings: Settings
    ) throws -> [UserID]? {
        try store.work(publishedBy: .session, settings) { work in
            try work.tx.lock(devices: [did])
            guard try work.tx.devices.find(did) != nil else { return nil }
            let users = try work.tx.bindings.all(of: did).map(\.uid)
            try DeviceOwnership.forget(did, in: &work)
            return users
        }
    }
}
