package import Domain
import Glibc

/// The locks of users and devices.
///
/// A transaction first locks the user or device about which it will write a row. The lock needs a separate call. Only
/// after that does the transaction read the data on which the row depends. The lock of a user covers the user's
/// sessions, names, links and homes. The lock of a device covers its bindings, invitations, commands, schedules and
/// status. If the lock is missing, the transaction is undone and run again (`LockLedger`). SQLite has one writer at a
/// time and needs no locks. Only tests record locks on SQLite (`LockRecord.isTested`), and a test that breaks a rule
/// ends.
extension Transaction {
    /// Whether locks are taken or recorded (on SQLite, only tests record locks).
    package var takesLocks: Bool { sql.hasOtherWriters || LockRecord.isTested }

    /// Locks users and devices until the end of the transaction, and ignores unknown ids.
    ///
    /// Waits for other transactions that hold these locks. Locks are taken in an order: users before devices, each by
    /// ascending id. Later calls in the transaction must continue this order. They may repeat ids that are already
    /// locked.
    ///
    /// - Returns: Whether the transaction must read its data again, because it may have changed.
    @discardableResult
    package func lock(users: [UserID] = [], devices: [DeviceID] = []) throws -> Bool {
        record?.note { try $0.lock(users: users.sorted(), devices: devices.sorted()) }
        guard sql.hasOtherWriters else { return false }
        // Rows are locked one by one in ascending order. A single query could lock them in any order.
        try sql.run("SELECT uid FROM account WHERE uid = $1 FOR UPDATE", each: users.sorted()) { $0 }
        try sql.run("SELECT did FROM status WHERE did = $1 FOR UPDATE", each: devices.sorted()) { $0 }
        return true
    }

    /// Reads a value, locks the users and devices that it names, and reads it again if necessary.
    ///
    /// - Throws: `LockConflict` if the value has changed and now names further users or devices.
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

    /// Finds a session, even an ended one, and locks its user, or returns nil.
    ///
    /// - Throws: `LockConflict` if the session was given to another user in the meantime.
    package func lockedSession(_ id: SessionID) throws -> Session? {
        try lock {
            try sessions.find(id)
        } naming: {
            (users: [$0?.uid].compactMap(\.self), devices: [])
        }
    }

    /// Locks the users and devices that `names` returns, for a caller that reads all data afterwards.
    ///
    /// `names` is called only if locks are taken or recorded.
    ///
    /// - Returns: Whether the transaction must read its data again, because it may have changed.
    /// - Throws: `LockConflict` if, after the locking, `names` returns further users or devices.
    @discardableResult
    package func lock(naming names: () throws -> (users: [UserID], devices: [DeviceID])) throws -> Bool {
        guard takesLocks else { return false }
        _ = try lock(names) { $0 }
        return sql.hasOtherWriters
    }

    /// Records that this transaction holds the lock of a user whom it creates.
    ///
    /// No statement is needed. Until this transaction ends, no other can add a user with these names.
    package func lock(new uid: UserID) {
        record?.note { $0.lock(new: uid) }
    }

    /// Records the lock of a new device, which this transaction creates.
    ///
    /// No statement is needed. Until this transaction ends, no other can add a device with this hardware address.
    package func lock(new did: DeviceID) {
        record?.note { $0.lock(new: did) }
    }

    /// Locks all users and devices for rare work, in a transaction without earlier locks.
    package func lockAll() throws {
        record?.note { try $0.lockAll() }
        guard sql.hasOtherWriters else { return }
        // The lock on both tables conflicts with locks on single rows, but not with readers.
        try sql.run("LOCK TABLE account, status IN EXCLUSIVE MODE")
    }

    /// Begins a piece of a batch's work, such as a request.
    ///
    /// If several processes write, each piece is a separate transaction. A piece doesn't rely on locks of earlier
    /// pieces. So it can take locks from the beginning of the order again.
    package func beginPiece() {
        record?.note { $0 = LockLedger() }
    }

    // MARK: Checks for table methods before they write

    /// If a user isn't locked, throws an error that repeats the transaction, or on SQLite ends the test.
    ///
    /// Another transaction may have added the user after this one took its locks. The next run locks that user.
    @inline(__always)
    func requireLock(of uid: @autoclosure () -> UserID) throws {
        guard let record else { return }
        let uid = uid()
        try record.check { try $0.require(uid) }
    }

    /// If a device isn't locked, throws an error that repeats the transaction, or on SQLite ends the test.
    @inline(__always)
    func requireLock(of did: @autoclosure () -> DeviceID) throws {
        guard let record else { return }
        let did = did()
        try record.check { try $0.require(did) }
    }

    /// If any device isn't locked, throws an error that repeats the transaction, or on SQLite ends the test.
    @inline(__always)
    func requireLocks<IDs: Sequence<DeviceID>>(of dids: @autoclosure () -> IDs) throws {
        guard record != nil else { return }
        for did in dids() { try requireLock(of: did) }
    }

    /// If neither user nor device is locked, throws an error that repeats the transaction, or on SQLite ends the test.
    ///
    /// Writing a row about both needs only one of the two locks.
    @inline(__always)
    func requireLock(of uid: @autoclosure () -> UserID, or did: @autoclosure () -> DeviceID) throws {
        guard let record else { return }
        let (uid, did) = (uid(), did())
        try record.check { try $0.require(uid, or: did) }
    }

    /// If not everything is locked, throws an error that repeats the transaction, or on SQLite ends the test.
    @inline(__always)
    func requireLockOfAll() throws {
        try record?.check { try $0.requireAll() }
    }
}

/// A retryable error: the data to lock changed before the lock was granted.
package struct LockConflict: Error {}

/// The error thrown when a transaction is about to write a row without the row's lock.
///
/// Another transaction may have added the row meanwhile. In this case, the next run locks the row. Otherwise, the code
/// has a defect.
struct LockMissing: Error, CustomStringConvertible {
    let breach: LockLedger.Breach

    var description: String { "A lock is missing: \(breach)" }
}

/// The record of one transaction's locks, which all copies of the `Transaction` value share.
final class LockRecord {
    /// Whether this process is a test, which runs with `CHECK_LOCKS=1` in the environment.
    ///
    /// Outside tests, a broken rule must not end the process. On SQLite, a broken rule does no harm.
    static let isTested = getenv("CHECK_LOCKS").map { String(cString: $0) == "1" } ?? false

    private(set) var ledger = LockLedger()
    /// Whether other processes also write, and may add rows after the locks were taken.
    private let hasOtherWriters: Bool

    init(hasOtherWriters: Bool) { self.hasOtherWriters = hasOtherWriters }

    /// Makes a record of locks, or returns nil if the store needs no locks and no test checks them.
    static func of(_ sql: SQL) -> LockRecord? {
        let hasOtherWriters = sql.hasOtherWriters
        return hasOtherWriters || isTested ? LockRecord(hasOtherWriters: hasOtherWriters) : nil
    }

    /// Records locks, and ends a test if code takes locks in the wrong order.
    func note(_ body: (inout LockLedger) throws -> Void) {
        do {
            try body(&ledger)
        } catch {
            // In production, the transaction continues: at worst a deadlock follows, which PostgreSQL ends.
            precondition(!Self.isTested, "A lock is missing: \(error)")
        }
    }

    /// Throws `LockMissing` if a lock isn't held.
    func check(_ body: (LockLedger) throws -> Void) throws {
        do {
            try body(ledger)
        } catch let error as LockLedger.Breach {
            guard hasOtherWriters else {
                // Only a test gets here (`isTested`). The writing code has a defect, so the test must end.
                fatalError("A lock is missing: \(error)")
            }
            throw LockMissing(breach: error)
        }
    }

    /// Restores the earlier record of locks after a part of the work was undone.
    func restore(_ ledger: LockLedger) { self.ledger = ledger }
}
