package import Domain
import Glibc

/// The locks of users and devices.
///
/// A transaction that writes a row about a user or a device first locks that user or device, in a separate call, and
/// only then reads the data on which it decides. The lock of a user covers the user's sessions, names, links and homes.
/// The lock of a device covers its bindings, invitations, commands, schedules and status. A transaction that is about
/// to write a row without the lock is undone and run again (`LockLedger`). SQLite has one writer at a time and needs no
/// locks: only tests record locks there (`LockRecord.isTested`), and a test ends if a rule is broken.
extension Transaction {
    /// Whether locks are taken or recorded, which on SQLite is so only in tests.
    package var takesLocks: Bool { sql.hasOtherWriters || LockRecord.isTested }

    /// Locks users and devices until the end of the transaction; ids without a stored user or device are ignored.
    ///
    /// Waits for other transactions that hold any of the requested locks. A later call in the same transaction can lock
    /// only users and devices that are already locked, or that come later in the order: users before devices, each in
    /// ascending order of ids.
    ///
    /// - Returns: Whether data that the transaction read before may have changed meanwhile, and must be read again.
    @discardableResult
    package func lock(users: [UserID] = [], devices: [DeviceID] = []) throws -> Bool {
        record?.note { try $0.lock(users: users.sorted(), devices: devices.sorted()) }
        guard sql.hasOtherWriters else { return false }
        // Rows are locked one by one in ascending order, since a single query may lock rows in the order of its query
        // plan.
        try sql.run("SELECT uid FROM account WHERE uid = $1 FOR UPDATE", each: users.sorted()) { $0 }
        try sql.run("SELECT did FROM status WHERE did = $1 FOR UPDATE", each: devices.sorted()) { $0 }
        return true
    }

    /// Reads a value, locks the users and devices that the value names, and reads the value again if it may have
    /// changed.
    ///
    /// - Throws: `LockConflict` if the value names other users or devices when it is read again.
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

    /// Finds a session, even an ended session, and locks its user; returns nil if there is no such session.
    ///
    /// - Throws: `LockConflict` if the session came to belong to another user meanwhile.
    package func lockedSession(_ id: SessionID) throws -> Session? {
        try lock {
            try sessions.find(id)
        } naming: {
            (users: [$0?.uid].compactMap(\.self), devices: [])
        }
    }

    /// Locks the users and devices that `names` returns, for work that reads the data again anyway.
    ///
    /// If locks are neither taken nor recorded, `names` is not called.
    ///
    /// - Returns: Whether data that the transaction read before may have changed meanwhile, and must be read again.
    /// - Throws: `LockConflict` if `names` returns other users or devices after the first ones are locked.
    @discardableResult
    package func lock(
        naming names: () throws -> (users: [UserID], devices: [DeviceID])
    ) throws -> Bool {
        guard takesLocks else { return false }
        _ = try lock(names) { $0 }
        return sql.hasOtherWriters
    }

    /// Records the lock of a user that this transaction creates.
    ///
    /// No statement is needed, since no other transaction can add a user with the same names until this one has ended.
    package func lock(new uid: UserID) {
        record?.note { $0.lock(new: uid) }
    }

    /// Records the lock of a device that this transaction creates.
    ///
    /// No statement is needed, since no other transaction can add a device with the same hardware address until this
    /// one has ended.
    package func lock(new did: DeviceID) {
        record?.note { $0.lock(new: did) }
    }

    /// Locks all users and devices, before any other lock, for rare work that can concern any number of them.
    package func lockAll() throws {
        record?.note { try $0.lockAll() }
        guard sql.hasOtherWriters else { return }
        // The lock of the whole tables conflicts with locks of single rows, but not with readers.
        try sql.run("LOCK TABLE account, status IN EXCLUSIVE MODE")
    }

    /// Begins a piece of a batch's work, such as one request, that has a transaction of its own if several processes
    /// write.
    ///
    /// The piece doesn't rely on locks of earlier pieces, so the required order of locks starts again from the
    /// beginning.
    package func beginPiece() {
        record?.note { $0 = LockLedger() }
    }

    // MARK: Checks of table methods that write

    /// Throws an error if a user is not locked, so that the transaction is run again; on SQLite, ends the test.
    ///
    /// The missing lock can be that of a user whom another transaction added after this one took its locks; the next
    /// run finds and locks that user.
    @inline(__always)
    func requireLock(of uid: @autoclosure () -> UserID) throws {
        guard let record else { return }
        let uid = uid()
        try record.check { try $0.require(uid) }
    }

    /// Throws an error if a device is not locked, so that the transaction is run again; on SQLite, ends the test.
    @inline(__always)
    func requireLock(of did: @autoclosure () -> DeviceID) throws {
        guard let record else { return }
        let did = did()
        try record.check { try $0.require(did) }
    }

    /// Throws an error if one of some devices is not locked, so that the transaction is run again; on SQLite, ends the
    /// test.
    @inline(__always)
    func requireLocks<IDs: Sequence<DeviceID>>(of dids: @autoclosure () -> IDs) throws {
        guard record != nil else { return }
        for did in dids() { try requireLock(of: did) }
    }

    /// Throws an error if neither a user nor a device is locked, so that the transaction is run again; on SQLite, ends
    /// the test.
    ///
    /// Either lock suffices for writing a row about both.
    @inline(__always)
    func requireLock(
        of uid: @autoclosure () -> UserID,
        or did: @autoclosure () -> DeviceID
    ) throws {
        guard let record else { return }
        let (uid, did) = (uid(), did())
        try record.check { try $0.require(uid, or: did) }
    }

    /// Throws an error if the transaction hasn't locked all users and devices, so that it is run again; on SQLite, ends
    /// the test.
    @inline(__always)
    func requireLockOfAll() throws {
        try record?.check { try $0.requireAll() }
    }
}

/// The error thrown when the data to be locked changed while the transaction waited for the lock; the same work can be
/// run again.
package struct LockConflict: Error {}

/// The error thrown when a transaction is about to write a row without holding the row's lock.
///
/// Either another transaction has added the row meanwhile, so that the same work finds and locks it when it is run
/// again, or the code has a defect.
struct LockMissing: Error, CustomStringConvertible {
    let breach: LockLedger.Breach

    var description: String { "A lock is missing: \(breach)" }
}

/// The record of one transaction's locks, which all copies of the `Transaction` value share.
final class LockRecord {
    /// Whether this process is a test, as the environment variable `CHECK_LOCKS=1` says.
    ///
    /// Outside tests, a process must not end because of a broken rule that does no harm on SQLite.
    static let isTested = getenv("CHECK_LOCKS").map { String(cString: $0) == "1" } ?? false

    private(set) var ledger = LockLedger()
    /// Whether other processes write to the database too, so that another transaction may have added the unlocked row.
    private let hasOtherWriters: Bool

    init(hasOtherWriters: Bool) { self.hasOtherWriters = hasOtherWriters }

    /// Returns the record of a transaction; nil if locks are neither taken nor recorded.
    static func of(_ sql: SQL) -> LockRecord? {
        let hasOtherWriters = sql.hasOtherWriters
        return hasOtherWriters || isTested ? LockRecord(hasOtherWriters: hasOtherWriters) : nil
    }

    /// Records locks; ends a test if locks are taken in the wrong order, which is always a defect of the calling code.
    func note(_ body: (inout LockLedger) throws -> Void) {
        do {
            try body(&ledger)
        } catch {
            // Outside tests the transaction continues: at worst there is a deadlock, which PostgreSQL ends.
            precondition(!Self.isTested, "A lock is missing: \(error)")
        }
    }

    /// Checks that a lock is held.
    ///
    /// - Throws: `LockMissing`.
    func check(_ body: (LockLedger) throws -> Void) throws {
        do {
            try body(ledger)
        } catch let error as LockLedger.Breach {
            guard hasOtherWriters else {
                // Only a test gets here (`isTested`): the code that writes has a defect, so the test must end.
                fatalError("A lock is missing: \(error)")
            }
            throw LockMissing(breach: error)
        }
    }

    /// Restores the record of locks to what it was before a part of the work that was undone.
    func restore(_ ledger: LockLedger) { self.ledger = ledger }
}
