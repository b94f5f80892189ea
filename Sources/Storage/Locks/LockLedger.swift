import Domain

/// The locks that one transaction, or one piece of it (`Transaction.beginPiece()`), has taken.
///
/// Transactions write rows about a user or a device only while they hold the lock of that user or device. All
/// transactions take locks in the same order, so that they can't deadlock. The order is users before devices, each by
/// ascending id.
struct LockLedger {
    /// A rule that a transaction broke.
    enum Breach: Error, Equatable, CustomStringConvertible {
        /// A row about a user was written without the user's lock.
        case user(UserID)
        /// A row about a device was written without the device's lock.
        case device(DeviceID)
        /// A row about a user and a device was written while neither was locked.
        case pair(UserID, DeviceID)
        /// A lock was taken after a lock that comes later in the order.
        case order(String, after: String)
        /// A write that can concern any user or device ran without the lock of all users and devices.
        case all

        var description: String {
            switch self {
            case .user(let uid): "the user \(uid.text) is not locked"
            case .device(let did): "the device \(did.text) is not locked"
            case .pair(let uid, let did): "neither the user \(uid.text) nor the device \(did.text) is locked"
            case .order(let key, let last): "\(key) was locked after \(last)"
            case .all: "not everything is locked"
            }
        }
    }

    /// A lock's position in the order: locks are ordered first by these cases, and then by id.
    private enum Place: Hashable, Comparable, CustomStringConvertible {
        case user(UserID)
        case device(DeviceID)

        var description: String {
            switch self {
            case .user(let uid): "the user \(uid.text)"
            case .device(let did): "the device \(did.text)"
            }
        }
    }

    private var held: Set<Place> = []
    private var last: Place?
    private var holdsAll = false

    // MARK: Locking

    /// Records that the transaction locks first the given users and then the given devices, in the given order.
    ///
    /// A lock that the transaction already holds can be requested again at any time.
    mutating func lock(users: [UserID] = [], devices: [DeviceID] = []) throws(Breach) {
        for uid in users { try take(.user(uid)) }
        for did in devices { try take(.device(did)) }
    }

    private mutating func take(_ place: Place) throws(Breach) {
        if holdsAll || held.contains(place) { return }
        if let last, place < last { throw .order("\(place)", after: "\(last)") }
        held.insert(place)
        last = place
    }

    /// Records the lock of a new user, whom the transaction creates.
    ///
    /// This lock doesn't need to follow the order, because no other transaction knows the user or waits for the lock.
    mutating func lock(new uid: UserID) { held.insert(.user(uid)) }

    /// Records the lock of a new device, which the transaction creates.
    mutating func lock(new did: DeviceID) { held.insert(.device(did)) }

    /// Records the lock of all users and devices.
    mutating func lockAll() throws(Breach) {
        if let last, !holdsAll { throw .order("everything", after: "\(last)") }
        holdsAll = true
    }

    // MARK: Checking

    func require(_ uid: UserID) throws(Breach) { guard holdsAll || held.contains(.user(uid)) else { throw .user(uid) } }

    func require(_ did: DeviceID) throws(Breach) {
        guard holdsAll || held.contains(.device(did)) else { throw .device(did) }
    }

    /// Checks that a user or a device is locked; either lock suffices for a row about both.
    func require(_ uid: UserID, or did: DeviceID) throws(Breach) {
        guard holdsAll || held.contains(.user(uid)) || held.contains(.device(did)) else { throw .pair(uid, did) }
    }

    func requireAll() throws(Breach) {
        guard holdsAll else { throw .all }
    }
}
