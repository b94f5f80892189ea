import CSQLite
import Credentials
import Glibc
import PostgreSQL
import SQLite

/// The functions that classify errors of the store, for example by whether the whole store or one message is at fault.
///
/// The descriptions of the errors contain no values of statements' parameters, so they can be logged.
package enum StoreError {
    /// Returns whether the whole store is currently unusable.
    ///
    /// Examples: the disk is full, input or output failed, the database is locked or damaged, or the gate's file can't
    /// be written. Any work would fail now; the same work may succeed later.
    package static func isStoresFault(_ error: any Error) -> Bool {
        if error is CredentialsError || error is LockConflict || error is LaneLost { return true }
        if error is LockMissing || error is GateTurnMissed { return true }
        // After a conflict, the same work can succeed on the next try, so the conflict isn't the fault of the processed
        // message.
        if let error = error as? PostgresError { return error.kind != .statement }
        if error is Persistent { return false }
        guard let error = error as? SQLiteError else { return false }
        return [
            SQLITE_FULL, SQLITE_IOERR, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_READONLY,
            SQLITE_CANTOPEN, SQLITE_CORRUPT, SQLITE_NOMEM, SQLITE_NOTADB, SQLITE_PERM,
            SQLITE_PROTOCOL,
        ].contains(error.primaryCode)
    }

    /// The error that is thrown if even the last retry violated a unique key or lacked a lock; the transaction's values
    /// or the code must then be wrong.
    struct Persistent: Error, CustomStringConvertible {
        let cause: any Error

        var description: String { "\(cause)" }
    }

    /// Returns whether the same transaction can be run again.
    ///
    /// This is so after a conflict, a missing lock, too long a wait for the turn to write the gate's file, or a lost
    /// answer to the commit.
    static func mayRunAgain(_ error: any Error) -> Bool {
        if error is LockConflict || error is LockMissing || error is GateTurnMissed { return true }
        return (error as? PostgresError)?.kind == .conflict
    }

    /// Returns whether a transaction lasted too long; a smaller transaction might succeed (`TransactionBound`).
    package static func isTooLong(_ error: any Error) -> Bool { (error as? PostgresError)?.isTooLong == true }

    /// Returns whether the answer to a transaction's commit was lost; the transaction may have been committed.
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
