package import Domain
import Glibc

/// Locks of users and devices.
///
/// The transaction that writes a row about a user or a device locks it first, in a call of its own, and reads only
/// then what it decides on. A user's lock covers the user's sessions, names, links and homes; a device's covers its
/// bindings, invitations, commands, schedules and status. Who writes a row that is not covered is stopped, and the
/// transaction runs again (`LockLedger`). SQLite has one writer at a time and needs none of it: only tests note the
/// locks there (`LockRecord.isTested`), and end at a breach of the rules.
extension Transaction {
    /// Whether locks are taken or noted; on SQLite neither but in tests.
    package var takesLocks: Bool { sql.hasOtherWriters || LockRecord.isTested }

    /// Locks users and devices until the end of the transaction; unknown ones are ignored.
    ///
    /// Waits for other transactions that hold them. In one transaction, a later call may only ask for what is held
    /// already, or for what follows it in the order: users before devices, each ascending.
    ///
    /// - Returns: Whether what was read before may have changed meanwhile, and has to be read again.
    @discardableResult
    package func lock(users: [UserID] = [], devices: [DeviceID] = []) throws -> Bool {
        record?.note { try $0.lock(users: users.sorted(), devices: devices.sorted()) }
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

    /// Finds a session whose user is locked then, ended sessions included; nil for an unknown one.
    ///
    /// - Throws: `LockConflict` if it became another user's meanwhile.
    package func lockedSession(_ id: SessionID) throws -> Session? {
        try lock {
            try sessions.find(id)
        } naming: {
            (users: [$0?.uid].compactMap(\.self), devices: [])
        }
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
        record?.note { $0.lock(new: uid) }
    }

    /// Locks a device that this transaction makes: its unique hardware address locks the new row.
    package func lock(new did: DeviceID) {
        record?.note { $0.lock(new: did) }
    }

    /// Locks all users and devices, before any other lock; for rare work that concerns any number of them.
    package func lockAll() throws {
        record?.note { try $0.lockAll() }
        guard sql.hasOtherWriters else { return }
        // Conflicts with the locks of single rows, but not with readers.
        try sql.run("LOCK TABLE account, status IN EXCLUSIVE MODE")
    }

    /// Begins a piece of work that has a transaction of its own where several processes write, such as one request
    /// of a batch: it relies on no lock of the pieces before, and its locks begin the order anew.
    package func beginPiece() {
        record?.note { $0 = LockLedger() }
    }

    // MARK: Checks of table methods that write

    /// Runs the transaction again unless the user is locked; on SQLite stops tests.
    ///
    /// A user whom another transaction brought in after our locks were taken is found and locked in that next run.
    @inline(__always)
    func requireLock(of uid: @autoclosure () -> UserID) throws {
        guard let record else { return }
        let uid = uid()
        try record.check { try $0.require(uid) }
    }

    /// Runs the transaction again unless the device is locked; on SQLite stops tests.
    @inline(__always)
    func requireLock(of did: @autoclosure () -> DeviceID) throws {
        guard let record else { return }
        let did = did()
        try record.check { try $0.require(did) }
    }

    /// Runs the transaction again unless all of the devices are locked; on SQLite stops tests.
    @inline(__always)
    func requireLocks<IDs: Sequence<DeviceID>>(of dids: @autoclosure () -> IDs) throws {
        guard record != nil else { return }
        for did in dids() { try requireLock(of: did) }
    }

    /// Runs the transaction again unless the user or the device is locked, either of which guards a row about both; on
    /// SQLite stops tests.
    @inline(__always)
    func requireLock(
        of uid: @autoclosure () -> UserID,
        or did: @autoclosure () -> DeviceID
    ) throws {
        guard let record else { return }
        let (uid, did) = (uid(), did())
        try record.check { try $0.require(uid, or: did) }
    }

    /// Runs the transaction again unless everything is locked; on SQLite stops tests.
    @inline(__always)
    func requireLockOfAll() throws {
        try record?.check { try $0.requireAll() }
    }
}

/// What a transaction was to lock has changed while it waited for the lock: the same work may be run again.
package struct LockConflict: Error {}

/// A transaction was to write what it has not locked: another one put that there meanwhile, and the same work, which
/// finds it then, may be run again; or else it is a defect of the code.
struct LockMissing: Error, CustomStringConvertible {
    let breach: LockLedger.Breach

    var description: String { "A lock is missing: \(breach)" }
}

/// Keeps the ledger of one transaction, whose value is copied into each table.
final class LockRecord {
    /// Whether the environment says that this is a test (`CHECK_LOCKS=1`): no program that serves people may end at a
    /// breach that SQLite makes harmless.
    static let isTested = getenv("CHECK_LOCKS").map { String(cString: $0) == "1" } ?? false

    private(set) var ledger = LockLedger()
    /// Whether what is not locked may be there by another transaction.
    private let hasOtherWriters: Bool

    init(hasOtherWriters: Bool) { self.hasOtherWriters = hasOtherWriters }

    /// Returns the record of a transaction; nil where no lock is taken or noted.
    static func of(_ sql: SQL) -> LockRecord? {
        let hasOtherWriters = sql.hasOtherWriters
        return hasOtherWriters || isTested ? LockRecord(hasOtherWriters: hasOtherWriters) : nil
    }

    /// Notes locks; a test ends where the order is broken, which is always a defect of the calling code.
    func note(_ body: (inout LockLedger) throws -> Void) {
        do {
            try body(&ledger)
        } catch {
            // A deadlock at worst, which PostgreSQL ends: outside of tests the transaction goes on.
            precondition(!Self.isTested, "A lock is missing: \(error)")
        }
    }

    /// Checks for a lock.
    ///
    /// - Throws: `LockMissing`.
    func check(_ body: (LockLedger) throws -> Void) throws {
        do {
            try body(ledger)
        } catch let error as LockLedger.Breach {
            guard hasOtherWriters else {
                // Only in a test (`isTested`), which must end with a defect of the code that writes.
                fatalError("A lock is missing: \(error)")
            }
            throw LockMissing(breach: error)
        }
    }

    /// Goes back to the locks that were held before a piece of work that was undone.
    func restore(_ ledger: LockLedger) { self.ledger = ledger }
}
