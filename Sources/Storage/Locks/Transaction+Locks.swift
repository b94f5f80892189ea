package import Domain
import Glibc

/// Locks of users and devices.
///
/// A transaction that writes a row about a user or a device locks that user or device first, in a separate call, and
/// only then reads the data on which it decides. A user's lock covers the user's sessions, names, links and homes; a
/// device's covers its bindings, invitations, commands, schedules and status. A transaction that writes an uncovered
/// row is stopped and run again (`LockLedger`). SQLite has one writer at a time and needs no locks: only tests record
/// them there (`LockRecord.isTested`), and end if a rule is broken.
extension Transaction {
    /// Whether locks are taken or recorded; on SQLite only in tests.
    package var takesLocks: Bool { sql.hasOtherWriters || LockRecord.isTested }

    /// Locks users and devices until the end of the transaction; unknown ones are ignored.
    ///
    /// Waits for other transactions that hold them. A later call in the same transaction can lock only what is already
    /// held, or what follows it in the order: users before devices, each ascending.
    ///
    /// - Returns: Whether data read before may have changed meanwhile, and must be read again.
    @discardableResult
    package func lock(users: [UserID] = [], devices: [DeviceID] = []) throws -> Bool {
        record?.note { try $0.lock(users: users.sorted(), devices: devices.sorted()) }
        guard sql.hasOtherWriters else { return false }
        // One by one in ascending order: a single query may lock in the order of its plan.
        try sql.run("SELECT uid FROM account WHERE uid = $1 FOR UPDATE", each: users.sorted()) { $0 }
        try sql.run("SELECT did FROM status WHERE did = $1 FOR UPDATE", each: devices.sorted()) { $0 }
        return true
    }

    /// Reads a value, locks the users and devices that it names, and reads it again if it may have changed.
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
        guard Set(usersNow).isSubset(of: users), Set(devicesNow).isSubset(of: devices) else { throw LockConflict() }
        return again
    }

    /// Finds a session, even an ended one, and locks its user; returns nil for an unknown session.
    ///
    /// - Throws: `LockConflict` if it became another user's meanwhile.
    package func lockedSession(_ id: SessionID) throws -> Session? {
        try lock {
            try sessions.find(id)
        } naming: {
            (users: [$0?.uid].compactMap(\.self), devices: [])
        }
    }

    /// Locks the users and devices that `names` returns, for work that reads them again anyway.
    ///
    /// Doesn't call `names` if locks are neither taken nor recorded.
    ///
    /// - Returns: Whether data read before may have changed meanwhile, and must be read again.
    /// - Throws: `LockConflict` if others are found once the first are locked.
    @discardableResult
    package func lock(
        naming names: () throws -> (users: [UserID], devices: [DeviceID])
    ) throws -> Bool {
        guard takesLocks else { return false }
        _ = try lock(names) { $0 }
        return sql.hasOtherWriters
    }

    /// Locks a user that this transaction creates: the user's unique names lock the new row.
    package func lock(new uid: UserID) {
        record?.note { $0.lock(new: uid) }
    }

    /// Locks a device that this transaction creates: its unique hardware address locks the new row.
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

    /// Begins a piece of work that has a separate transaction where several processes write, such as one request of a
    /// batch.
    ///
    /// It relies on no lock of earlier pieces, and its locks begin the order anew.
    package func beginPiece() {
        record?.note { $0 = LockLedger() }
    }

    // MARK: Checks of table methods that write

    /// If the user is not locked, throws, so that the transaction runs again; on SQLite, ends the test.
    ///
    /// The next run finds and locks a user that another transaction added after our locks were taken.
    @inline(__always)
    func requireLock(of uid: @autoclosure () -> UserID) throws {
        guard let record else { return }
        let uid = uid()
        try record.check { try $0.require(uid) }
    }

    /// If the device is not locked, throws, so that the transaction runs again; on SQLite, ends the test.
    @inline(__always)
    func requireLock(of did: @autoclosure () -> DeviceID) throws {
        guard let record else { return }
        let did = did()
        try record.check { try $0.require(did) }
    }

    /// If a device is not locked, throws, so that the transaction runs again; on SQLite, ends the test.
    @inline(__always)
    func requireLocks<IDs: Sequence<DeviceID>>(of dids: @autoclosure () -> IDs) throws {
        guard record != nil else { return }
        for did in dids() { try requireLock(of: did) }
    }

    /// If neither is locked, throws, so that the transaction runs again; on SQLite, ends the test.
    ///
    /// Either lock guards a row about both.
    @inline(__always)
    func requireLock(
        of uid: @autoclosure () -> UserID,
        or did: @autoclosure () -> DeviceID
    ) throws {
        guard let record else { return }
        let (uid, did) = (uid(), did())
        try record.check { try $0.require(uid, or: did) }
    }

    /// If not everything is locked, throws, so that the transaction runs again; on SQLite, ends the test.
    @inline(__always)
    func requireLockOfAll() throws {
        try record?.check { try $0.requireAll() }
    }
}

/// The error that the data to lock changed while the transaction waited for the lock; the same work can be run again.
package struct LockConflict: Error {}

/// The error that a transaction was about to write a row it hasn't locked.
///
/// Either another transaction added the row meanwhile, and the same work finds it when run again, or the code has a
/// defect.
struct LockMissing: Error, CustomStringConvertible {
    let breach: LockLedger.Breach

    var description: String { "A lock is missing: \(breach)" }
}

/// The ledger of one transaction, whose value is copied into each table.
final class LockRecord {
    /// Whether the environment marks this as a test (`CHECK_LOCKS=1`): a program in service must not end at a breach
    /// that is harmless on SQLite.
    static let isTested = getenv("CHECK_LOCKS").map { String(cString: $0) == "1" } ?? false

    private(set) var ledger = LockLedger()
    /// Whether another transaction may have added an unlocked row.
    private let hasOtherWriters: Bool

    init(hasOtherWriters: Bool) { self.hasOtherWriters = hasOtherWriters }

    /// Returns the record of a transaction; nil if locks are neither taken nor recorded.
    static func of(_ sql: SQL) -> LockRecord? {
        let hasOtherWriters = sql.hasOtherWriters
        return hasOtherWriters || isTested ? LockRecord(hasOtherWriters: hasOtherWriters) : nil
    }

    /// Records locks; ends a test if the order is broken, which is always a defect of the calling code.
    func note(_ body: (inout LockLedger) throws -> Void) {
        do {
            try body(&ledger)
        } catch {
            // Outside tests the transaction continues: at worst it causes a deadlock, which PostgreSQL ends.
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
                // Reached only in a test (`isTested`): the code that writes has a defect, which must end the test.
                fatalError("A lock is missing: \(error)")
            }
            throw LockMissing(breach: error)
        }
    }

    /// Restores the locks held before a piece of work that was undone.
    func restore(_ ledger: LockLedger) { self.ledger = ledger }
}
