import Domain
import Storage
import Wire

/// The locks taken before a method runs (`Transaction.lock`).
enum MethodLocks {
    /// Nothing: the method only reads, or itself locks the rows that it finds by a name.
    case none
    /// The device that the request names.
    case device
    /// The caller.
    case user
    /// The caller and the device that the request names.
    case userAndDevice

    /// Takes the locks.
    ///
    /// - Throws: `Rejection` if the caller's session has ended meanwhile.
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

extension Call {
    /// Locks a user and a device, if any, and checks again whether the caller's session is live.
    ///
    /// - Throws: `Rejection` if it has ended meanwhile.
    mutating func lock(user uid: UserID? = nil, device did: DeviceID? = nil) throws {
        let users = [uid].compactMap(\.self)
        let devices = [did].compactMap(\.self)
        guard try tx.lock(users: users, devices: devices), session != nil else { return }
        guard let key = try KeyCheck.key(of: request, in: tx) else {
            return session = try TokenCheck.live(of: request, in: tx)
        }
        session = try KeyCheck.session(of: request, by: key, in: tx)
    }

    /// Locks the caller, if any, and the users that `find` returns.
    ///
    /// - Returns: Whether rows read before may have changed meanwhile, and must be read again.
    @discardableResult
    func lock(users find: () throws -> [UserID?]) throws -> Bool {
        try tx.lock(naming: {
            (users: try ([session?.uid] + find()).compactMap(\.self), devices: [])
        })
    }

    /// Locks the caller, if any, and all users with an address that one of them is about to prove.
    ///
    /// - Returns: Whether rows read before may have changed meanwhile, and must be read again.
    @discardableResult
    func lock(holdersOf address: Address, region: String) throws -> Bool {
        try lock { try tx.accounts.holders(of: address, app: app.id, region: region) }
    }

    /// Locks the users that `find` returns, and the user whose session on the terminal a login ends.
    func lockForLogin(_ find: () throws -> [UserID?]) throws {
        try lock { try find() + [tx.sessions.live(on: request.terminal)?.uid] }
    }
}
