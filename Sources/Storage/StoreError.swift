import CSQLite
import Credentials
import Glibc
import PostgreSQL
import SQLite

/// The classification of the store's errors: the machine's fault, or one message's.
///
/// The descriptions of the errors hold no value of a statement, so they can be logged.
package enum StoreError {
    /// Returns whether the store as a whole can't work now.
    ///
    /// The disk is full, input or output failed, the database is locked or damaged, or the gate's file can't be
    /// written. Trying again later may help; a different message would not.
    package static func isStoresFault(_ error: any Error) -> Bool {
        if error is CredentialsError || error is LockConflict || error is LaneLost { return true }
        if error is LockMissing || error is GateTurnMissed { return true }
        // A conflict is over when the same work is tried again, so no message is to blame.
        if let error = error as? PostgresError { return error.kind != .statement }
        if error is Persistent { return false }
        guard let error = error as? SQLiteError else { return false }
        return [
            SQLITE_FULL, SQLITE_IOERR, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_READONLY,
            SQLITE_CANTOPEN, SQLITE_CORRUPT, SQLITE_NOMEM, SQLITE_NOTADB, SQLITE_PERM,
            SQLITE_PROTOCOL,
        ].contains(error.primaryCode)
    }

    /// The error that a transaction still violates a unique key, or still lacks a lock, in its last run: its values, or
    /// the code, are to blame.
    struct Persistent: Error, CustomStringConvertible {
        let cause: any Error

        var description: String { "\(cause)" }
    }

    /// Returns whether the same transaction can be run again.
    ///
    /// Another transaction conflicted with it or had the turn at the gate's file, or the commit was not answered.
    static func mayRunAgain(_ error: any Error) -> Bool {
        if error is LockConflict || error is LockMissing || error is GateTurnMissed { return true }
        return (error as? PostgresError)?.kind == .conflict
    }

    /// Returns whether a transaction lasted too long, so that a smaller one may get through (`TransactionBound`).
    package static func isTooLong(_ error: any Error) -> Bool { (error as? PostgresError)?.isTooLong == true }

    /// Returns whether a transaction was possibly committed, and the answer was lost.
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
