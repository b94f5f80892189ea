package import Domain

/// The audit trail: rows are added, never changed.
///
/// There are two exceptions: erasing a user removes personal details from the user's rows, and rows past their
/// retention are deleted.
package struct AuditTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    /// Adds a line.
    package func add(_ entry: AuditEntry) throws {
        var line = AuditRow(id: transaction.sequence.next(transaction.now), entry: entry)
        line.entry.at = transaction.now
        try sql.run(AuditRow.table.insert, line)
    }

    /// Returns the newest lines, of one user or of all.
    package func newest(of uid: UserID? = nil, limit: Int) throws -> [AuditEntry] {
        let lines =
            if let uid {
                try sql.rows(
                    of: AuditRow.table,
                    "WHERE uid = $1 ORDER BY id DESC LIMIT $2",
                    uid,
                    limit
                )
            } else {
                try sql.rows(of: AuditRow.table, "ORDER BY id DESC LIMIT $1", limit)
            }
        return lines.compactMap { $0.isKnown ? $0.entry : nil }
    }

    /// Removes personal details from an erased user's lines; the actions and their times stay.
    package func redact(_ uid: UserID) throws {
        try sql.run(
            """
            UPDATE audit SET actorKind = $1, actorId = $2, actorTerminal = NULL,
                terminalId = NULL, detail = NULL
            WHERE uid = $3
            """,
            Actor.erased.kind,
            Actor.erased.id,
            uid
        )
    }
}

/// A line with its id, the microsecond of its making.
struct AuditRow: TableRow {
    var id: Int64
    var entry: AuditEntry
    /// False where a later version wrote the line, of a kind of its own.
    var isKnown = true

    static let table = Table<AuditRow>("audit")

    static func map(_ column: inout ColumnMapper<AuditRow>) -> AuditRow {
        let id = column("id", \.id, as: .key)
        let at = column("at", \.entry.at)
        let kind = AuditEntry.Kind(rawValue: column("kind", \.entry.kind.rawValue))
        var entry = AuditEntry(
            kind: kind ?? .erased,
            uid: column("uid", \.entry.uid),
            app: column("appId", \.entry.app),
            actor: column.actor(\.entry.actor),
            terminal: column("terminalId", \.entry.terminal),
            detail: column("detail", \.entry.detail)
        )
        entry.at = at
        return AuditRow(id: id, entry: entry, isKnown: kind != nil)
    }
}
