package import Domain
import Glibc

/// The locks of users and devices.
///
/// A transaction first locks the user or device about which it will write a row. The write itself takes no lock, so the
/// transaction must call `lock` first. Only after that does the transaction read the data on which the row depends. The
/// lock of a user covers the user's sessions, names, links and homes. The lock of a device covers its bindings,
/// invitations, commands, schedules and status. If the lock is missing, the transaction is undone and run again
/// (`LockLedger`). SQLite has one writer at a time and needs no locks. Only tests record locks on SQLite
/// (`LockRecord.isTested`). If a transaction then breaks a rule, the test is aborted.
extension Transaction {
    /// Whether locks are taken or recorded (on SQLite, only tests record locks).
    package var takesLocks: Bool { sql.hasOtherWriters || LockRecord.isTested }

    /// Locks users and devices until the end of the transaction, and ignores unknown ids.
    ///
    /// Waits for other transactions that hold these locks. Locks are taken in an order: users before devices, each by
    /// ascending id. Later calls in the transaction must continue this order. They may repeat ids that are already
    /// locked.
    ///
    /// - Returns: Whether the transaction must read its data again, because the data may have changed.
    @discardableResult
    package func lock(users: [UserID] = [], devices: [DeviceID] = []) throws -> Bool {
        record?.note { try $0.lock(users: users.sorted(), devices: devices.sorted()) }
        guard sql.hasOtherWriters else { return false }
        // Rows are locked one by one in ascending order. A single query could lock them in any order.
        try sql.run("SELECT uid FROM account WHERE uid = $1 FOR UPDATE", each: users.sorted()) { $0 }
        try sql.run("SELECT did FROM status WHERE did = $1 FOR UPDATE", each: devices.sorted()) { $0 }
        return true
    }

    /// Reads a value, locks the users and devices that the value names, and reads the value again if necessary.
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

    /// Returns a session, and locks the session's user; the result is nil if there is no such session.
    ///
    /// A session is found even after it has ended.
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
    /// - Returns: Whether the transaction must read its data again, because the data may have changed.
    /// - Throws: `LockConflict` if, after the locking, `names` returns further users or devices.
    @discardableResult
    package func lock(naming names: () throws -> (users: [UserID], devices: [DeviceID])) throws -> Bool {
        guard takesLocks else { return false }
        _ = try lock(names) { $0 }
        return sql.hasOtherWriters
    }

    /// Records that this transaction holds the lock of a user whom it creates.
    ///
    /// No SQL statement is needed for the lock. Until this transaction ends, other transactions don't see the new user.
    /// They also can't add a user with the same username or the same verified address.
    package func lock(new uid: UserID) {
        record?.note { $0.lock(new: uid) }
    }

    /// Records the lock of a new device, which this transaction creates.
    ///
    /// No SQL statement is needed for the lock. Until this transaction ends, no other transaction can add a device with
    /// the same hardware address.
    package func lock(new did: DeviceID) {
        record?.note { $0.lock(new: did) }
    }

    /// Locks all users and devices, for rare work.
    ///
    /// The transaction must not hold locks of single users or devices yet.
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

    /// Throws `LockMissing` if a user isn't locked, so that the transaction is run again; on SQLite, aborts the test.
    ///
    /// Another transaction may have added the user after this transaction took its locks. The next run locks that user.
    @inline(__always)
    func requireLock(of uid: @autoclosure () -> UserID) throws {
        guard let record else { return }
        let uid = uid()
        try record.check { try $0.require(uid) }
    }

    /// Throws `LockMissing` if a device isn't locked, so that the transaction is run again; on SQLite, aborts the test.
    @inline(__always)
    func requireLock(of did: @autoclosure () -> DeviceID) throws {
        guard let record else { return }
        let did = did()
        try record.check { try $0.require(did) }
    }

    /// Throws `LockMissing` if any of the devices isn't locked, in the same way as `requireLock(of:)`.
    @inline(__always)
    func requireLocks<IDs: Sequence<DeviceID>>(of dids: @autoclosure () -> IDs) throws {
        guard record != nil else { return }
        for did in dids() { try requireLock(of: did) }
    }

    /// Throws `LockMissing` if neither the user nor the device is locked, in the same way as `requireLock(of:)`.
    ///
    /// Writing a row about both needs only one of the two locks.
    @inline(__always)
    func requireLock(of uid: @autoclosure () -> UserID, or did: @autoclosure () -> DeviceID) throws {
        guard let record else { return }
        let (uid, did) = (uid(), did())
        try record.check { try $0.require(uid, or: did) }
    }

    /// Throws `LockMissing` if not all users and devices are locked, in the same way as `requireLock(of:)`.
    @inline(__always)
    func requireLockOfAll() throws {
        try record?.check { try $0.requireAll() }
    }
}

/// A retryable error: the data to lock changed before the lock was granted.
package struct LockConflict: Error {}

/// The error thrown when a transaction is about to write a row about a user or device that it hasn't locked.
///
/// Another transaction may have added the row after this transaction took its locks. In this case, the next run locks
/// the row's user or device. Otherwise, the code has a defect.
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
