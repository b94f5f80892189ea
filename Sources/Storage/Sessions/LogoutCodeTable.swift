package import Domain
import Sodium

/// The codes with which users end their other sessions.
///
/// Each user has at most one valid code. A code is stored as an HMAC, and works only on the terminal that requested it.
package struct LogoutCodeTable: TransactionTable {
    let transaction: Transaction

    private func hash(_ code: String, _ uid: UserID, on terminal: TerminalID) -> [UInt8] {
        transaction.hash(code, boundTo: "logoutCode:\(uid.text):\(terminal.text)")
    }

    /// Makes a code for a user, which replaces the user's earlier code.
    package func make(_ uid: UserID, on terminal: TerminalID, expiresAt: Instant) throws -> String {
        let code = Sodium.randomSecret()
        try transaction.requireLock(of: uid)
        try sql.run(
            """
            INSERT INTO logoutCode (uid, codeHash, expiresAt) VALUES ($1, $2, $3)
            ON CONFLICT (uid) DO UPDATE SET
                codeHash = excluded.codeHash, expiresAt = excluded.expiresAt, usedAt = NULL
            """,
            uid,
            hash(code, uid, on: terminal),
            expiresAt
        )
        return code
    }

    /// Uses up a user's code, or returns false if it is wrong, expired or used.
    package func use(_ code: String, of uid: UserID, on terminal: TerminalID) throws -> Bool {
        try transaction.requireLock(of: uid)
        return try sql.rowsChanged(
            "UPDATE logoutCode SET usedAt = $1 WHERE uid = $2 AND codeHash = $3 AND expiresAt > $1 AND usedAt IS NULL",
            now,
            uid,
            hash(code, uid, on: terminal)
        ) == 1
    }
}
