import Credentials
package import Domain
import Sodium

/// The API keys of makers' servers.
///
/// A change here also changes the key's terminal in the gate's credentials.
package struct KeyTable: TransactionTable {
    let transaction: Transaction

    /// Returns the key with a secret, even an ended key, or nil; the secret before a rotation counts while it overlaps
    /// with the new one.
    package func find(token: String) throws -> APIKey? {
        let hash = Sodium.sha256(token.utf8)
        if let key = try keys("WHERE tokenHash = $1", hash).first { return key }
        return try keys("WHERE oldTokenHash = $1 AND oldTokenUntil > $2", hash, transaction.now).first
    }

    /// Returns one key, even an ended key, or nil.
    package func find(_ id: KeyID) throws -> APIKey? { try keys("WHERE keyId = $1", id).first }

    /// Returns an app's keys, or all apps' keys, oldest first; ended keys are included while they are kept.
    package func all(of app: AppID? = nil) throws -> [APIKey] {
        try keys("WHERE ($1 = '' OR appId = $1) ORDER BY createdAt, keyId", app?.text ?? "")
    }

    /// Returns an app's keys that were not revoked and have not ended.
    package func live(of app: AppID) throws -> [APIKey] {
        try keys("WHERE appId = $1 AND endedAt IS NULL ORDER BY createdAt, keyId", app)
    }

    /// Returns whether a terminal is a key's.
    package func owns(_ terminal: TerminalID) throws -> Bool {
        try sql.integer("SELECT 1 FROM apiKey WHERE terminalId = $1", terminal) != nil
    }

    /// Returns whether a terminal's key is live.
    package func isLive(on terminal: TerminalID) throws -> Bool {
        try sql.integer("SELECT 1 FROM apiKey WHERE terminalId = $1 AND endedAt IS NULL", terminal) != nil
    }

    private func keys<each Value: ColumnValue>(_ clause: String, _ values: repeat each Value) throws -> [APIKey] {
        try sql.rows(of: KeyRow.table, clause, repeat each values).map(\.key)
    }

    // MARK: Changes

    /// Adds a key with its secret.
    package func add(_ key: APIKey, token: String) throws {
        try sql.run(KeyRow.table.insert, KeyRow(key: key, tokenHash: Sodium.sha256(token.utf8)))
        try tellGate(key)
    }

    /// Gives a live key a new secret; the present one works until the new one's first use, for a day at most.
    package func rotate(_ key: APIKey, to token: String) throws {
        try change(
            key,
            """
            UPDATE apiKey SET tokenHash = $1, oldTokenHash = tokenHash, oldTokenUntil = $2
            WHERE keyId = $3 AND endedAt IS NULL
            """,
            with: Sodium.sha256(token.utf8),
            transaction.now.adding(seconds: APIKey.overlapSeconds),
            key.id
        )
    }

    /// Ends a key.
    package func end(_ key: APIKey) throws {
        try change(
            key,
            """
            UPDATE apiKey SET endedAt = $1, oldTokenHash = NULL, oldTokenUntil = NULL
            WHERE keyId = $2 AND endedAt IS NULL
            """,
            with: transaction.now,
            key.id
        )
        // Streams of the event log end.
        try transaction.meta.raiseCatalogEpoch()
    }

    /// Notes that a secret of a key was used: the newest ends its predecessor, and the moment is stored once a minute at
    /// most.
    package func use(_ token: String, of key: APIKey) throws {
        if key.hasOldToken {
            try change(
                key,
                """
                UPDATE apiKey SET oldTokenHash = NULL, oldTokenUntil = NULL
                WHERE keyId = $1 AND tokenHash = $2 AND oldTokenHash IS NOT NULL
                """,
                with: key.id,
                Sodium.sha256(token.utf8)
            )
        }
        let oldest = transaction.now.adding(seconds: -Domain.Session.seenSeconds)
        guard key.lastSeenAt.map({ $0 <= oldest }) ?? true else { return }
        try sql.run("UPDATE apiKey SET lastSeenAt = $1 WHERE keyId = $2", transaction.now, key.id)
    }

    /// Ends the secret before a rotation, which worked until a moment, because the gate saw the new one used.
    package func endOldToken(of key: APIKey, until: Instant) throws {
        try change(
            key,
            "UPDATE apiKey SET oldTokenHash = NULL, oldTokenUntil = NULL WHERE keyId = $1 AND oldTokenUntil = $2",
            with: key.id,
            until
        )
    }

    private func change<each Value: ColumnValue>(
        _ key: APIKey,
        _ statement: String,
        with values: repeat each Value
    ) throws {
        try sql.run(statement, repeat each values)
        if try sql.changes == 1 { try tellGate(key) }
    }

    private func tellGate(_ key: APIKey) throws {
        guard let record = try GateRecords.current(.terminal, of: key.terminal.text, in: sql) else { return }
        transaction.gate.records.append(record)
    }

    // MARK: The end of keys

    /// Returns at most `limit` live keys that have expired at a moment.
    package func overdue(at now: Instant, limit: Int) throws -> [APIKey] {
        try keys("WHERE endedAt IS NULL AND expiresAt <= $1 ORDER BY expiresAt LIMIT $2", now, limit)
    }

    /// Returns when the next live key expires, or nil.
    package func nextExpiry() throws -> Instant? {
        try sql.value("SELECT min(expiresAt) FROM apiKey WHERE endedAt IS NULL AND expiresAt IS NOT NULL")
    }

    /// Deletes at most `limit` keys that ended before a moment, with their terminals; returns how many.
    func deleteEnded(before: Instant, limit: Int) throws -> Int {
        let old = try sql.query(
            "SELECT keyId, terminalId FROM apiKey WHERE endedAt < $1 ORDER BY endedAt LIMIT $2",
            before,
            limit
        ) { (key: $0.next(KeyID.self), terminal: $0.next(TerminalID.self)) }
        try sql.run("DELETE FROM apiKey WHERE keyId = $1", each: old) { $0.key }
        for row in old { transaction.gate.records.append(.removed(.terminal, key: row.terminal.text)) }
        return old.count
    }
}
