import Domain
import Storage
import Wire

/// The locks taken before a method runs (`Transaction.lock`).
enum MethodLocks {
    /// No lock: the method only reads, or it takes the locks itself.
    case none
    /// A lock on the device that the request names.
    case device
    /// A lock on the calling user.
    case user
    /// Locks on the calling user and on the device that the request names.
    case userAndDevice

    /// Takes a request's locks, or throws if the caller's session has ended meanwhile.
    func take(for call: inout Call) throws {
        guard call.tx.takesLocks else { return }
        let did = try? call.fields.did()
        let uid = call.session?.uid
        switch self {
        case .none: return
        case .device: try call.lock(device: did)
        case .user: try call.lock(user: uid)
        case .userAndDevice: try call.lock(user: uid, device: did)
        }
    }
}

extension Transaction {
    /// Finds a value, locks its device, and finds the value again if necessary.
    func lock<Value>(_ device: (Value) -> DeviceID, of find: () throws -> Value?) throws -> Value? {
        try lock(find, naming: { (users: [], devices: $0.map { [device($0)] } ?? []) })
    }
}

extension Call {
    /// Locks a user and a device, or throws if the caller's session has ended.
    mutating func lock(user uid: UserID? = nil, device did: DeviceID? = nil) throws {
        let users = [uid].compactMap(\.self)
        let devices = [did].compactMap(\.self)
        guard try tx.lock(users: users, devices: devices), session != nil else { return }
        guard let key = try KeyCheck.key(of: request, in: tx) else {
            return session = try TokenCheck.live(of: request, in: tx)
        }
        session = try KeyCheck.session(of: request, by: key, in: tx)
    }

    /// Locks the caller and the users from `find`, and returns whether earlier reads must be repeated.
    @discardableResult
    func lock(users find: () throws -> [UserID?]) throws -> Bool {
        try tx.lock(naming: {
            (users: try ([session?.uid] + find()).compactMap(\.self), devices: [])
        })
    }

    /// Locks the caller and all users with the address, and returns whether earlier reads must be repeated.
    @discardableResult
    func lock(holdersOf address: Address, region: String) throws -> Bool {
        try lock { try tx.accounts.holders(of: address, app: app.id, region: region) }
    }

    /// Locks the users from `find`, and the user whose session the login will end.
    func lockForLogin(_ find: () throws -> [UserID?]) throws {
        try lock { try find() + [tx.sessions.live(on: request.terminal)?.uid] }
    }
}
