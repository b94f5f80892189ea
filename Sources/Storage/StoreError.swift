import CSQLite
import Credentials
import Glibc
import PostgreSQL
import SQLite

/// Functions that classify the store's errors, for example whether an error is the fault of a single message.
///
/// The descriptions of the errors contain no values of statements' parameters, so they can be logged.
package enum StoreError {
    /// Returns whether an error comes from the store, and not from the message that is being processed.
    ///
    /// Examples are a full disk, a locked or damaged database, a gate's file that can't be written, and a conflict
    /// between two transactions. After such an error, the same work may succeed later.
    package static func isStoresFault(_ error: any Error) -> Bool {
        if error is CredentialsError || error is LockConflict || error is LaneLost { return true }
        if error is LockMissing || error is GateTurnMissed { return true }
        // A conflict isn't the message's fault. The next try can succeed.
        if let error = error as? PostgresError { return error.kind != .statement }
        if error is Persistent { return false }
        guard let error = error as? SQLiteError else { return false }
        return [
            SQLITE_FULL, SQLITE_IOERR, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_READONLY,
            SQLITE_CANTOPEN, SQLITE_CORRUPT, SQLITE_NOMEM, SQLITE_NOTADB, SQLITE_PERM,
            SQLITE_PROTOCOL,
        ].contains(error.primaryCode)
    }

    /// The error that is thrown if even the last retry violated a unique key or lacked a lock (`LockMissing`).
    ///
    /// In this case, the transaction's values or the code must be wrong.
    struct Persistent: Error, CustomStringConvertible {
        let cause: any Error

        var description: String { "\(cause)" }
    }

    /// Returns whether the same transaction can be run again.
    ///
    /// A transaction can be run again if it was in conflict with another transaction, or if it lacked a lock. The same
    /// is true if the transaction waited too long for the gate's file, or if the answer to its commit was lost.
    static func mayRunAgain(_ error: any Error) -> Bool {
        if error is LockConflict || error is LockMissing || error is GateTurnMissed { return true }
        return (error as? PostgresError)?.kind == .conflict
    }

    /// Returns whether a transaction took too long and should be made smaller (`TransactionBound`).
    package static func isTooLong(_ error: any Error) -> Bool { (error as? PostgresError)?.isTooLong == true }

    /// Returns whether a transaction may have been committed, because the commit's answer was lost.
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
