package import Domain
import JSON
import Wire

/// The audit trail: rows are added, never changed.
///
/// There are two exceptions: erasing a user removes personal details from the user's rows, and rows past their
/// retention are deleted.
package struct AuditTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    private static let columns = "id, at, kind, uid, appId, actor, terminalId, detail"

    private static func entry(_ row: Row) -> AuditEntry? {
        guard let kind = AuditEntry.Kind(rawValue: row.text(2)) else { return nil }
        let actor = EventCodec.decode(row.withBytes(5, text: true) { try? JSONValue.parse($0) })
        var entry = AuditEntry(
            kind: kind,
            uid: row.optionalText(3).map { UserID(trusted: $0) },
            app: row.optionalText(4).map { AppID(trusted: $0) },
            actor: actor ?? .system,
            terminal: row.optionalText(6).map { TerminalID(trusted: $0) },
            detail: row.optionalText(7)
        )
        entry.at = Instant(milliseconds: row.integer(1))
        return entry
    }

    /// Adds a line.
    package func add(_ entry: AuditEntry) throws {
        try sql.run(
            "INSERT INTO audit (\(Self.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
        ) {
            $0.add(transaction.sequence.next(transaction.now))
            $0.add(transaction.now.milliseconds)
            $0.add(entry.kind.rawValue)
            $0.add(entry.uid?.text)
            $0.add(entry.app?.text)
            $0.add(EventCodec.stored(entry.actor))
            $0.add(entry.terminal?.text)
            $0.add(entry.detail)
        }
    }

    /// Returns the newest lines, of one user or of all.
    package func newest(of uid: UserID? = nil, limit: Int) throws -> [AuditEntry] {
        guard let uid else {
            return try sql.query(
                "SELECT \(Self.columns) FROM audit ORDER BY id DESC LIMIT $1"
            ) {
                $0.add(limit)
            } row: {
                Self.entry($0)
            }.compactMap(\.self)
        }
        return try sql.query(
            "SELECT \(Self.columns) FROM audit WHERE uid = $1 ORDER BY id DESC LIMIT $2"
        ) {
            $0.add(uid.text)
            $0.add(limit)
        } row: {
            Self.entry($0)
        }.compactMap(\.self)
    }

    /// Forgets lines older than a moment, at most `limit`; returns how many.
    ///
    /// Lines that record an erasure are kept forever.
    package func prune(before: Instant, limit: Int) throws -> Int {
        // A line's id is the microsecond of its making.
        try sql.run(
            """
            DELETE FROM audit WHERE id IN (
                SELECT id FROM audit WHERE id < $1 AND kind <> $2 ORDER BY id LIMIT $3)
            """
        ) {
            $0.add(before.milliseconds * 1000)
            $0.add(AuditEntry.Kind.erased.rawValue)
            $0.add(limit)
        }
        return sql.changes
    }

    /// Removes personal details from an erased user's lines; the actions and their times stay.
    package func redact(_ uid: UserID) throws {
        try sql.run(
            "UPDATE audit SET actor = $1, terminalId = NULL, detail = NULL WHERE uid = $2"
        ) {
            $0.add(EventCodec.stored(.erased))
            $0.add(uid.text)
        }
    }
}
