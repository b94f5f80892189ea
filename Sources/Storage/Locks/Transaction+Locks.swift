package import Domain
import Glibc

/// The locks of users and devices.
///
/// A transaction that writes a row about a user or a device first locks that user or device, in a separate call, and
/// only then reads the data on which the row depends. The lock of a user covers the user's sessions, names, links and
/// homes. The lock of a device covers its bindings, invitations, commands, schedules and status. A transaction that is
/// about to write such a row without the lock is undone and run again (`LockLedger`). SQLite has one writer at a time
/// and needs no locks. Only tests record locks on SQLite (`LockRecord.isTested`), and a test that breaks a rule ends.
extension Transaction {
    /// Whether locks are taken or recorded; on SQLite, only tests record them.
    package var takesLocks: Bool { sql.hasOtherWriters || LockRecord.isTested }

    /// Locks users and devices until the end of the transaction; ids without a stored user or device are ignored.
    ///
    /// Waits for other transactions that hold these locks. Locks are taken in an order: users before devices, each by
    /// ascending id. Later calls in the same transaction must continue this order, but may name ids that are already
    /// locked.
    ///
    /// - Returns: Whether data that the transaction has already read may have changed, and must be read again.
    @discardableResult
    package func lock(users: [UserID] = [], devices: [DeviceID] = []) throws -> Bool {
        record?.note { try $0.lock(users: users.sorted(), devices: devices.sorted()) }
        guard sql.hasOtherWriters else { return false }
        // Rows are locked one by one in ascending order; a single query for all could lock them in any order.
        try sql.run("SELECT uid FROM account WHERE uid = $1 FOR UPDATE", each: users.sorted()) { $0 }
        try sql.run("SELECT did FROM status WHERE did = $1 FOR UPDATE", each: devices.sorted()) { $0 }
        return true
    }

    /// Reads a value, locks the users and devices that the value names, and reads the value again if it may have
    /// changed.
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

    /// Finds a session, even an ended session, and locks its user; returns nil if there is no such session.
    ///
    /// - Throws: `LockConflict` if the session was given to another user in the meantime.
    package func lockedSession(_ id: SessionID) throws -> Session? {
        try lock {
            try sessions.find(id)
        } naming: {
            (users: [$0?.uid].compactMap(\.self), devices: [])
        }
    }

    /// Locks the users and devices that `names` returns, for a caller that reads all data after this call.
    ///
    /// `names` is called only if locks are taken or recorded.
    ///
    /// - Returns: Whether data that the transaction has already read may have changed, and must be read again.
    /// - Throws: `LockConflict` if `names` returns further users or devices when it is called again after the locking.
    @discardableResult
    package func lock(naming names: () throws -> (users: [UserID], devices: [DeviceID])) throws -> Bool {
        guard takesLocks else { return false }
        _ = try lock(names) { $0 }
        return sql.hasOtherWriters
    }

    /// Records that this transaction holds the lock of a user whom it creates.
    ///
    /// No statement is needed, since no other transaction can add a user with the same names until this transaction has
    /// ended.
    package func lock(new uid: UserID) {
        record?.note { $0.lock(new: uid) }
    }

    /// Records the lock of a new device, which this transaction creates.
    ///
    /// No statement is needed: no other transaction can add a device with this hardware address until this transaction
    /// ends.
    package func lock(new did: DeviceID) {
        record?.note { $0.lock(new: did) }
    }

    /// Locks all users and devices, for rare work that can concern any number of them; the transaction must not have
    /// taken any other lock before.
    package func lockAll() throws {
        record?.note { try $0.lockAll() }
        guard sql.hasOtherWriters else { return }
        // The lock on both tables conflicts with locks on single rows, but not with readers.
        try sql.run("LOCK TABLE account, status IN EXCLUSIVE MODE")
    }

    /// Begins a piece of a batch's work, such as a request; if several processes write, each piece is a transaction of
    /// its own.
    ///
    /// The piece doesn't rely on locks of earlier pieces, so it can take locks from the beginning of the required order
    /// again.
    package func beginPiece() {
        record?.note { $0 = LockLedger() }
    }

    // MARK: Checks for table methods before they write

    /// If a user isn't locked, throws an error that makes the transaction run again; on SQLite, ends the test.
    ///
    /// Another transaction may have added the user after this transaction took its locks; the next run locks that user.
    @inline(__always)
    func requireLock(of uid: @autoclosure () -> UserID) throws {
        guard let record else { return }
        let uid = uid()
        try record.check { try $0.require(uid) }
    }

    /// If a device isn't locked, throws an error that makes the transaction run again; on SQLite, ends the test.
    @inline(__always)
    func requireLock(of did: @autoclosure () -> DeviceID) throws {
        guard let record else { return }
        let did = did()
        try record.check { try $0.require(did) }
    }

    /// Checks that all devices are locked; if not, throws an error that repeats the transaction, or on SQLite ends the
    /// test.
    @inline(__always)
    func requireLocks<IDs: Sequence<DeviceID>>(of dids: @autoclosure () -> IDs) throws {
        guard record != nil else { return }
        for did in dids() { try requireLock(of: did) }
    }

    /// If neither the user nor the device is locked, makes the transaction run again (PostgreSQL) or ends the test
    /// (SQLite).
    ///
    /// Writing a row about both needs only one of the two locks.
    @inline(__always)
    func requireLock(of uid: @autoclosure () -> UserID, or did: @autoclosure () -> DeviceID) throws {
        guard let record else { return }
        let (uid, did) = (uid(), did())
        try record.check { try $0.require(uid, or: did) }
    }

    /// If the transaction hasn't locked everything, throws an error that makes it run again; on SQLite, ends the test.
    @inline(__always)
    func requireLockOfAll() throws {
        try record?.check { try $0.requireAll() }
    }
}

/// The error thrown when the data to lock changed before the lock was granted; the same work can be run again.
package struct LockConflict: Error {}

/// The error thrown when a transaction is about to write a row without holding the row's lock.
///
/// Another transaction may have added the row meanwhile; the next run then locks the row. Otherwise, the code has a
/// defect.
struct LockMissing: Error, CustomStringConvertible {
    let breach: LockLedger.Breach

    var description: String { "A lock is missing: \(breach)" }
}

/// The record of one transaction's locks, which all copies of the `Transaction` value share.
final class LockRecord {
    /// Whether this process is a test; tests run with the environment variable `CHECK_LOCKS=1`.
    ///
    /// Outside tests, a broken rule must not end the process; on SQLite, a broken rule does no harm.
    static let isTested = getenv("CHECK_LOCKS").map { String(cString: $0) == "1" } ?? false

    private(set) var ledger = LockLedger()
    /// Whether other processes write to the database too; if so, another transaction may have added a row after this
    /// transaction took its locks.
    private let hasOtherWriters: Bool

    init(hasOtherWriters: Bool) { self.hasOtherWriters = hasOtherWriters }

    /// Makes the record of a transaction's locks; returns nil if nothing takes or records locks.
    static func of(_ sql: SQL) -> LockRecord? {
        let hasOtherWriters = sql.hasOtherWriters
        return hasOtherWriters || isTested ? LockRecord(hasOtherWriters: hasOtherWriters) : nil
    }

    /// Records locks; ends a test if locks are taken in the wrong order, which is always a defect of the calling code.
    func note(_ body: (inout LockLedger) throws -> Void) {
        do {
            try body(&ledger)
        } catch {
            // In production, the transaction continues: at worst a deadlock follows, which PostgreSQL ends.
            precondition(!Self.isTested, "A lock is missing: \(error)")
        }
    }

    /// Checks that a lock is held; throws `LockMissing` if the lock isn't held.
    func check(_ body: (LockLedger) throws -> Void) throws {
        do {
            try body(ledger)
        } catch let error as LockLedger.Breach {
            guard hasOtherWriters else {
                // Only a test gets here (`isTested`): the writing code has a defect, so the test must end.
                fatalError("A lock is missing: \(error)")
            }
            throw LockMissing(breach: error)
        }
    }

    /// Restores the earlier record of locks after a part of the work was undone.
    func restore(_ ledger: LockLedger) { self.ledger = ledger }
}
