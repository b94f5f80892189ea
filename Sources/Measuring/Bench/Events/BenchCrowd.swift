import Domain
import Load
import Storage
import Workers

/// A device with a crowd of users, all of whom are notified of an alert.
struct BenchCrowd: Sendable {
    private let store: Store
    private let did: DeviceID
    private let users: Int

    /// Adds one more device, and users who are all bound to this device.
    ///
    /// - Throws: The store's error.
    init(_ store: Store, users: Int) throws {
        (self.store, self.users) = (store, users)
        let did = DeviceID(trusted: "d-crowd000000ff")
        self.did = did
        try store.batch(at: SystemClock().now) { tx in
            try tx.lockAll()
            try tx.devices.create(did, product: BenchSeed.product, mac: MAC(trusted: "fe0000000000"))
        }
        try store.fill(users, at: SystemClock().now) { tx, number in
            try tx.bind(did, to: tx.addUser("u-crowd\(number)").text, as: .normal)
        }
    }

    /// Logs an alert, and returns how many seconds pass until each user has a row for the alert.
    ///
    /// - Throws: `LoadError`, or the store's error.
    func alert(_ name: String) async throws -> Double {
        let wanted = try store.read { try $0.notifications.count(of: did) } + Int64(users)
        let alert = "{\"type\":\"alert\",\"name\":\"\(name)\",\"value\":true}"
        try store.batch(at: SystemClock().now) { [did] tx in try tx.logAlert(of: did, alert) }
        let stopwatch = Stopwatch()
        while try store.read({ try $0.notifications.count(of: did) }) < wanted {
            guard stopwatch.seconds < 120 else { throw LoadError.failed("the crowd was not notified") }
            try await Task.sleep(for: .milliseconds(50))
        }
        return stopwatch.seconds
    }
}
