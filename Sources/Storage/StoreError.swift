import CSQLite
import Credentials
import Glibc
import PostgreSQL
import SQLite

/// The classification of the store's errors by their cause, which is either the store as a whole or the message being
/// processed.
///
/// The descriptions of the errors contain no values of statements' parameters, so they can be logged.
package enum StoreError {
    /// Returns whether the store as a whole can't work now.
    ///
    /// Examples: the disk is full, input or output failed, the database is locked or damaged, or the gate's file can't
    /// be written. The same work may succeed later; other work would fail now, too.
    package static func isStoresFault(_ error: any Error) -> Bool {
        if error is CredentialsError || error is LockConflict || error is LaneLost { return true }
        if error is LockMissing || error is GateTurnMissed { return true }
        // After a conflict, the same work can succeed on the next try, so no message is to blame.
        if let error = error as? PostgresError { return error.kind != .statement }
        if error is Persistent { return false }
        guard let error = error as? SQLiteError else { return false }
        return [
            SQLITE_FULL, SQLITE_IOERR, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_READONLY,
            SQLITE_CANTOPEN, SQLITE_CORRUPT, SQLITE_NOMEM, SQLITE_NOTADB, SQLITE_PERM,
            SQLITE_PROTOCOL,
        ].contains(error.primaryCode)
    }

    /// The error of a transaction that violates a unique key or lacks a lock even in its last run; its values or the
    /// code are to blame.
    struct Persistent: Error, CustomStringConvertible {
        let cause: any Error

        var description: String { "\(cause)" }
    }

    /// Returns whether the same transaction can be run again.
    ///
    /// A transaction can be run again if another transaction conflicted with it or had the turn to write the gate's
    /// file, or if the answer to its commit was lost.
    static func mayRunAgain(_ error: any Error) -> Bool {
        if error is LockConflict || error is LockMissing || error is GateTurnMissed { return true }
        return (error as? PostgresError)?.kind == .conflict
    }

    /// Returns whether a transaction lasted too long, so that a smaller one may succeed (`TransactionBound`).
    package static func isTooLong(_ error: any Error) -> Bool { (error as? PostgresError)?.isTooLong == true }

    /// Returns whether the answer to a transaction's commit was lost, so that it was possibly committed.
    static func isOutcomeUnknown(_ error: any Error) -> Bool {
        (error as? PostgresError)?.state == PostgresError.unknownOutcome
    }

    /// Returns whether the disk was full.
    package static func isFull(_ error: any Error) -> Bool {
        if case .diskFull = error as? Store.Failure { return true }
        if case .system(_, ENOSPC) = error as? CredentialsError { return true }
        if let error = error as? PostgresError { return error.state == "53100" }
        return (error as? SQLiteError)?.primaryCode == SQLITE_FULL
    }
}
