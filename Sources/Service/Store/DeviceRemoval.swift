package import Domain
package import ServiceSettings
package import Storage
import Wire
import Workers

/// Removes a device from the store with all that belongs to it.
package enum DeviceRemoval {
    /// Forgets a device, on an operator's request: its bindings, commands and invitations end, its users'
    /// retained statuses are cleared, its secret becomes void.
    ///
    /// The messages for its users are left in the store's outbox: a running service publishes them within half
    /// a second, one that is down when it starts.
    ///
    /// - Returns: The users that were bound to it; nil where there is no such device.
    package static func run(
        _ did: DeviceID,
        in store: Store,
        _ settings: Settings
    ) throws -> [UserID]? {
        try store.work(publishedBy: .session, settings) { work in
            guard try work.tx.devices.find(did) != nil else { return nil }
            let users = try work.tx.bindings.all(of: did).map(\.uid)
            try DeviceOwnership.forget(did, in: &work)
            return users
        }
    }
}
