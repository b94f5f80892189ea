package import Domain
package import Storage
import Workers

/// Takes a device out of the store with all that belongs to it.
package enum DeviceRemoval {
    /// Forgets a device: its bonds end, its users' retained statuses are owed a clearing, its secret is void.
    ///
    /// - Returns: Those who were bound to it; nil where there is no such device.
    package static func run(_ did: DeviceID, in store: Store) throws -> [UserID]? {
        try store.batch(at: SystemClock().now) { tx in
            guard try tx.devices.find(did) != nil else { return nil }
            let users = try tx.bindings.all(of: did).map(\.uid)
            try tx.refreshes.add(users.map { Refresh(did: did, uid: $0) })
            try tx.bindings.delete(did, users)
            try tx.devices.forget(did)
            return users
        }
    }
}
