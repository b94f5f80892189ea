package import Domain
import Sodium

/// Operators of the console and the hashes of their links, cookies and tokens.
package struct OperatorTable: TransactionTable {
    let transaction: Transaction

    // MARK: Operators

    /// Returns one operator; nil if there is no such operator.
    package func find(_ name: String) throws -> Operator? { try sql.find(Operator.table, name) }

    /// Returns all operators, sorted by name.
    package func all() throws -> [Operator] { try sql.rows(of: Operator.table, "ORDER BY name") }

    /// Returns the number of operators.
    package func count() throws -> Int64 { try sql.integer("SELECT count(*) FROM operator") ?? 0 }

    /// Adds an operator, or changes the role of the operator with that name.
    package func save(_ row: Operator) throws { try sql.run(Operator.table.upsert, row) }

    /// Sets the hash of an operator's password; nil removes the password.
    package func setPassword(_ hash: String?, of name: String) throws {
        try sql.run("UPDATE operator SET passwordHash = $1 WHERE name = $2", hash, name)
    }

    /// Deletes an operator with all credentials, and returns whether the operator existed.
    package func remove(_ name: String) throws -> Bool {
        _ = try revoke(name)
        try sql.run("DELETE FROM operatorToken WHERE name = $1", name)
        return try sql.rowsChanged("DELETE FROM operator WHERE name = $1", name) > 0
    }

    /// Ends an operator's sessions except `kept`, voids the operator's links, and returns how many sessions ended.
    package func revoke(_ name: String, except kept: String? = nil) throws -> Int {
        try sql.run("DELETE FROM operatorLink WHERE name = $1", name)
        return try sql.rowsChanged("DELETE FROM operatorSession WHERE name = $1 AND sessionId <> $2", name, kept ?? "")
    }

    // MARK: Links

    /// Stores the hash of a one-time link's token.
    package func addLink(token: String, of name: String) throws {
        try sql.run(
            "INSERT INTO operatorLink (tokenHash, name, createdAt, expiresAt) VALUES ($1, $2, $3, $4)",
            Sodium.sha256(token.utf8),
            name,
            now,
            now.adding(seconds: OperatorSignIn.linkSeconds)
        )
    }

    /// Uses up a one-time link and returns the link's operator, or nil if the link isn't valid.
    package func takeLink(token: String) throws -> Operator? {
        let hash = Sodium.sha256(token.utf8)
        let name = try sql.first(
            "SELECT name FROM operatorLink WHERE tokenHash = $1 AND expiresAt > $2",
            hash,
            now
        ) { $0.next(String.self) }
        try sql.run("DELETE FROM operatorLink WHERE tokenHash = $1", hash)
        return try name.flatMap(find)
    }

    // MARK: Sessions

    /// Begins a session, and ends the operator's oldest sessions if there are too many.
    package func begin(_ session: OperatorSession, token: String) throws {
        let kept = try sql.query(
            "SELECT sessionId FROM operatorSession WHERE name = $1 ORDER BY createdAt DESC, sessionId",
            session.name
        ) { $0.next(String.self) }
        for id in kept.dropFirst(Operator.sessionsMax - 1) { _ = try end(id) }
        try sql.run(
            OperatorSessionRow.table.insert,
            OperatorSessionRow(tokenHash: Sodium.sha256(token.utf8), session: session)
        )
    }

    /// Finds a session by its cookie's token, or returns nil; expired sessions are found too.
    package func session(token: String) throws -> OperatorSession? {
        try sql.rows(of: OperatorSessionRow.table, "WHERE tokenHash = $1", Sodium.sha256(token.utf8)).first?.session
    }

    /// Returns one session; nil if there is no such session.
    package func session(_ id: String) throws -> OperatorSession? {
        try sql.find(OperatorSessionRow.table, id)?.session
    }

    /// Returns the sessions of one operator or of all operators, the newest first.
    package func sessions(of name: String? = nil) throws -> [OperatorSession] {
        try sql.rows(
            of: OperatorSessionRow.table,
            "WHERE ($1 IS NULL OR name = $1) ORDER BY createdAt DESC, sessionId",
            name
        ).map(\.session)
    }

    /// Stores the current time as the last use of a session.
    package func noteUse(ofSession id: String) throws {
        try sql.run("UPDATE operatorSession SET seenAt = $1 WHERE sessionId = $2", now, id)
    }

    /// Ends a session; returns whether it existed.
    package func end(_ id: String) throws -> Bool {
        try sql.rowsChanged("DELETE FROM operatorSession WHERE sessionId = $1", id) > 0
    }

    // MARK: Tokens

    /// Stores a token, together with the hash of the token's secret.
    package func add(_ token: OperatorToken, secret: String) throws {
        try sql.run(
            OperatorTokenRow.table.insert,
            OperatorTokenRow(tokenHash: Sodium.sha256(secret.utf8), token: token)
        )
    }

    /// Returns the token with the given secret, even if it is no longer valid, or nil if it doesn't exist.
    package func token(secret: String) throws -> OperatorToken? {
        try sql.rows(of: OperatorTokenRow.table, "WHERE tokenHash = $1", Sodium.sha256(secret.utf8)).first?.token
    }

    /// Returns one token; nil if there is no such token.
    package func token(_ id: String) throws -> OperatorToken? { try sql.find(OperatorTokenRow.table, id)?.token }

    /// Returns the tokens of one operator or of all operators, the newest first.
    package func tokens(of name: String? = nil) throws -> [OperatorToken] {
        try sql.rows(
            of: OperatorTokenRow.table,
            "WHERE ($1 IS NULL OR name = $1) ORDER BY createdAt DESC, tokenId",
            name
        ).map(\.token)
    }

    /// Stores the current time as the last use of a token.
    package func noteUse(ofToken id: String) throws {
        try sql.run("UPDATE operatorToken SET usedAt = $1 WHERE tokenId = $2", now, id)
    }

    /// Deletes a token; returns whether it existed.
    package func removeToken(_ id: String) throws -> Bool {
        try sql.rowsChanged("DELETE FROM operatorToken WHERE tokenId = $1", id) > 0
    }
}
