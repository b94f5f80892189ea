package import Domain

/// Locks of users and devices.
///
/// The transaction that writes a row about a user or a device locks it first, in a call of its own, and reads only
/// then what it decides on. A user's lock covers the user's sessions, names, links and homes; a device's covers its
/// bindings, invitations, commands, schedules and status. SQLite has one writer at a time and needs none of it: there
/// debug builds note the locks and stop at a breach of the rules (`LockLedger`), release builds do nothing.
extension Transaction {
    /// Whether locks are taken or noted; release builds on SQLite do neither.
    package var takesLocks: Bool {
        #if DEBUG
        true
        #else
        sql.hasOtherWriters
        #endif
    }

    /// Locks users and devices until the end of the transaction; unknown ones are ignored.
    ///
    /// Waits for other transactions that hold them. In one transaction, a later call may only ask for what is held
    /// already, or for what follows it in the order: users before devices, each ascending.
    ///
    /// - Returns: Whether what was read before may have changed meanwhile, and has to be read again.
    @discardableResult
    package func lock(users: [UserID] = [], devices: [DeviceID] = []) throws -> Bool {
        #if DEBUG
        let (users, devices) = (users.sorted(), devices.sorted())
        record.change {
            try $0.lock(users: users, devices: devices)
        }
        #endif
        guard sql.hasOtherWriters else { return false }
        // One by one in ascending order: a single query may lock in the order of its plan.
        try sql.run("SELECT uid FROM account WHERE uid = $1 FOR UPDATE", each: users.sorted()) {
            $0
        }
        try sql.run("SELECT did FROM status WHERE did = $1 FOR UPDATE", each: devices.sorted()) {
            $0
        }
        return true
    }

    /// Reads something, locks the users and devices that it names, and reads it again where that may have changed.
    ///
    /// - Throws: `LockConflict` if the second read names others.
    package func lock<Value>(
        _ read: () throws -> Value,
        naming names: (Value) -> (users: [UserID], devices: [DeviceID])
    ) throws -> Value {
        let value = try read()
        let (users, devices) = names(value)
        guard try lock(users: users, devices: devices) else { return value }
        let again = try read()
        let (usersNow, devicesNow) = names(again)
        guard Set(usersNow).isSubset(of: users), Set(devicesNow).isSubset(of: devices) else {
            throw LockConflict()
        }
        return again
    }

    /// Locks the users and devices that `names` finds, for work that reads them again anyway; where no other
    /// transaction writes, release builds don't even look for them.
    ///
    /// - Returns: Whether what was read before may have changed meanwhile, and has to be read again.
    /// - Throws: `LockConflict` if others are found once the first are locked.
    @discardableResult
    package func lock(
        naming names: () throws -> (users: [UserID], devices: [DeviceID])
    ) throws -> Bool {
        guard takesLocks else { return false }
        _ = try lock(names) { $0 }
        return sql.hasOtherWriters
    }

    /// Locks a user whom this transaction makes: its unique names lock the new row.
    package func lock(new uid: UserID) {
        #if DEBUG
        record.change { $0.lock(new: uid) }
        #endif
    }

    /// Locks a device that this transaction makes: its unique hardware address locks the new row.
    package func lock(new did: DeviceID) {
        #if DEBUG
        record.change { $0.lock(new: did) }
        #endif
    }

    /// Locks all users and devices, before any other lock; for rare work that concerns any number of them.
    package func lockAll() throws {
        #if DEBUG
        record.change { try $0.lockAll() }
        #endif
        guard sql.hasOtherWriters else { return }
        // Conflicts with the locks of single rows, but not with readers.
        try sql.run("LOCK TABLE account, status IN EXCLUSIVE MODE")
    }

    /// Begins a piece of work that has a transaction of its own where several processes write, such as one request
    /// of a batch: it relies on no lock of the pieces before, and its locks begin the order anew.
    package func beginPiece() {
        #if DEBUG
        record.change { $0 = LockLedger() }
        #endif
    }

    // MARK: Checks of table methods that write

    /// Stops debug builds unless the user is locked.
    @inline(__always)
    func requireLock(of uid: @autoclosure () -> UserID) {
        #if DEBUG
        let uid = uid()
        record.change { try $0.require(uid) }
        #endif
    }

    /// Stops debug builds unless the device is locked.
    @inline(__always)
    func requireLock(of did: @autoclosure () -> DeviceID) {
        #if DEBUG
        let did = did()
        record.change { try $0.require(did) }
        #endif
    }

    /// Stops debug builds unless all of the devices are locked.
    @inline(__always)
    func requireLocks<IDs: Sequence<DeviceID>>(of dids: @autoclosure () -> IDs) {
        #if DEBUG
        for did in dids() { requireLock(of: did) }
        #endif
    }

    /// Stops debug builds unless the user or the device is locked: either guards a row about both.
    @inline(__always)
    func requireLock(
        of uid: @autoclosure () -> UserID,
        or did: @autoclosure () -> DeviceID
    ) {
        #if DEBUG
        let (uid, did) = (uid(), did())
        record.change { try $0.require(uid, or: did) }
        #endif
    }

    /// Stops debug builds unless everything is locked.
    @inline(__always)
    func requireLockOfAll() {
        #if DEBUG
        record.change { try $0.requireAll() }
        #endif
    }
}

/// What a transaction was to lock has changed while it waited for the lock: the same work may be run again.
package struct LockConflict: Error {}

#if DEBUG
/// Keeps the ledger of one transaction, whose value is copied into each table.
final class LockRecord {
    private(set) var ledger = LockLedger()

    /// Changes or reads the ledger; ends the process at a breach, which is always a defect of the calling code.
    func change(_ body: (inout LockLedger) throws -> Void) {
        do {
            try body(&ledger)
        } catch {
            // A defect of the code that writes; only in debug builds.
            fatalError("A lock is missing: \(error)")
        }
    }

    /// Goes back to the locks that were held before a piece of work that was undone.
    func restore(_ ledger: LockLedger) { self.ledger = ledger }
}
#endif
