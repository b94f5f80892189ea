import Credentials
package import Domain
import Sodium

/// The API keys of makers' servers.
///
/// Each change of a key also changes the key's terminal in the gate's credentials.
package struct KeyTable: TransactionTable {
    let transaction: Transaction

    /// Returns the API key that has the given secret; nil if no key has this secret.
    ///
    /// A key is found even after it has ended. After a rotation, the key is also found by its earlier secret while that
    /// secret is valid.
    package func find(token: String) throws -> APIKey? {
        let hash = Sodium.sha256(token.utf8)
        if let key = try keys("WHERE tokenHash = $1", hash).first { return key }
        return try keys("WHERE oldTokenHash = $1 AND oldTokenUntil > $2", hash, now).first
    }

    /// Returns an API key, even an ended one, or nil if it doesn't exist.
    package func find(_ id: KeyID) throws -> APIKey? { try keys("WHERE keyId = $1", id).first }

    /// Returns the stored API keys of one app or of all apps, including ended keys, the oldest first.
    package func all(of app: AppID? = nil) throws -> [APIKey] {
        try keys("WHERE ($1 = '' OR appId = $1) ORDER BY createdAt, keyId", app?.text ?? "")
    }

    /// Returns an app's API keys that have not ended.
    package func live(of app: AppID) throws -> [APIKey] {
        try keys("WHERE appId = $1 AND endedAt IS NULL ORDER BY createdAt, keyId", app)
    }

    /// Returns whether a terminal belongs to an API key.
    package func owns(_ terminal: TerminalID) throws -> Bool {
        try sql.integer("SELECT 1 FROM apiKey WHERE terminalId = $1", terminal) != nil
    }

    /// Returns whether a terminal belongs to an API key that has not ended.
    package func isLive(on terminal: TerminalID) throws -> Bool {
        try sql.integer("SELECT 1 FROM apiKey WHERE terminalId = $1 AND endedAt IS NULL", terminal) != nil
    }

    private func keys<each Value: ColumnValue>(_ clause: String, _ values: repeat each Value) throws -> [APIKey] {
        try sql.rows(of: KeyRow.table, clause, repeat each values).map(\.key)
    }

    // MARK: Changes

    /// Adds an API key with its secret.
    package func add(_ key: APIKey, token: String) throws {
        try sql.run(KeyRow.table.insert, KeyRow(key: key, tokenHash: Sodium.sha256(token.utf8)))
        try tellGate(key)
    }

    /// Replaces a live key's secret.
    ///
    /// The old secret works until the new one is used, for a day at most.
    package func rotate(_ key: APIKey, to token: String) throws {
        try change(
            key,
            """
            UPDATE apiKey SET tokenHash = $1, oldTokenHash = tokenHash, oldTokenUntil = $2
            WHERE keyId = $3 AND endedAt IS NULL
            """,
            with: Sodium.sha256(token.utf8),
            now.adding(seconds: APIKey.overlapSeconds),
            key.id
        )
    }

    /// Ends an API key.
    package func end(_ key: APIKey) throws {
        try change(
            key,
            """
            UPDATE apiKey SET endedAt = $1, oldTokenHash = NULL, oldTokenUntil = NULL
            WHERE keyId = $2 AND endedAt IS NULL
            """,
            with: now,
            key.id
        )
        // A new catalog number makes open streams of the event log check their keys. So the streams of this key end.
        try transaction.meta.raiseCatalogEpoch()
    }

    /// Records that a secret of a key was used.
    ///
    /// The first use of a new secret makes the earlier one invalid. The time of use is stored at most once a minute.
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
        let oldest = now.adding(seconds: -Domain.Session.seenSeconds)
        guard key.lastSeenAt.map({ $0 <= oldest }) ?? true else { return }
        try sql.run("UPDATE apiKey SET lastSeenAt = $1 WHERE keyId = $2", now, key.id)
    }

    /// Invalidates the old secret after the gate saw a login with the new one.
    ///
    /// Nothing is done if the old secret's expiry isn't `until`. In this case, the key was rotated again, or the old
    /// secret is already invalid.
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
        if try sql.rowsChanged(statement, repeat each values) == 1 { try tellGate(key) }
    }

    private func tellGate(_ key: APIKey) throws {
        guard let record = try GateRecords.current(.terminal, of: key.terminal.text, in: sql) else { return }
        transaction.gate.records.append(record)
    }

    // MARK: The end of keys

    /// Returns at most `limit` keys that have expired at `now` but aren't ended yet.
    package func overdue(at now: Instant, limit: Int) throws -> [APIKey] {
        try keys("WHERE endedAt IS NULL AND expiresAt <= $1 ORDER BY expiresAt LIMIT $2", now, limit)
    }

    /// Returns the earliest expiry of keys that haven't ended, or nil if none of them ever expires.
    package func nextExpiry() throws -> Instant? {
        try sql.value("SELECT min(expiresAt) FROM apiKey WHERE endedAt IS NULL AND expiresAt IS NOT NULL")
    }

    /// Deletes keys that ended before a given moment, with their terminals, and returns how many.
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
