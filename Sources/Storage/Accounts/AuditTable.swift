package import Domain

/// The audit trail, a log of actions on accounts and of operators' actions.
///
/// A row changes only when its user is erased. Personal details are then removed from the row. Rows are deleted after a
/// retention time.
package struct AuditTable: TransactionTable {
    let transaction: Transaction

    /// Adds a line to the audit trail.
    package func add(_ entry: AuditEntry) throws {
        var line = AuditRow(id: transaction.sequence.next(now), entry: entry)
        line.entry.at = now
        try sql.run(AuditRow.table.insert, line)
    }

    /// Returns the newest lines of the audit trail, about one user or about all users.
    package func newest(of uid: UserID? = nil, limit: Int) throws -> [AuditEntry] {
        let lines =
            if let uid {
                try sql.rows(of: AuditRow.table, "WHERE uid = $1 ORDER BY id DESC LIMIT $2", uid, limit)
            } else {
                try sql.rows(of: AuditRow.table, "ORDER BY id DESC LIMIT $1", limit)
            }
        return lines.compactMap { $0.isKnown ? $0.entry : nil }
    }

    /// Returns the lines before `id` that `isWanted` accepts, each with its id, the newest line first.
    ///
    /// Reads at most `scanMax` lines, about one user or about all users.
    ///
    /// - Returns: The lines, and the id to pass for the next page. If the id is nil, there are no more lines.
    package func page(
        of uid: UserID? = nil,
        before id: Int64 = .max,
        limit: Int,
        scanMax: Int = 20_000,
        where isWanted: (AuditEntry) -> Bool = { _ in true }
    ) throws -> (lines: [(id: Int64, entry: AuditEntry)], next: Int64?) {
        var lines: [(id: Int64, entry: AuditEntry)] = []
        var (looked, next) = (0, Int64?.none)
        try sql.scan(
            "SELECT \(AuditRow.table.columns) FROM audit WHERE id < $1 AND ($2 IS NULL OR uid = $2) ORDER BY id DESC",
            id,
            uid
        ) { row in
            let line = row.nextRow(AuditRow.self)
            guard lines.count < limit, looked < scanMax else { return false }
            looked += 1
            next = line.id
            if line.isKnown, isWanted(line.entry) { lines.append((line.id, line.entry)) }
            return true
        }
        let isMore = lines.count == limit || looked == scanMax
        return (lines, isMore ? next : nil)
    }

    /// Returns lines with ids above `id`, oldest first, without lines of unknown kinds.
    package func page(after id: Int64, limit: Int) throws -> [(id: Int64, entry: AuditEntry)] {
        try sql.rows(of: AuditRow.table, "WHERE id > $1 ORDER BY id LIMIT $2", id, limit)
            .compactMap { $0.isKnown ? ($0.id, $0.entry) : nil }
    }

    /// Returns operators' actions on a subject up to a moment, the newest first, each with its line's id.
    package func acts(on subject: String, until moment: Instant, limit: Int) throws -> [(id: Int64, entry: AuditEntry)]
    {
        try sql.rows(
            of: AuditRow.table,
            "WHERE subject = $1 AND at <= $2 ORDER BY id DESC LIMIT $3",
            subject,
            moment,
            limit
        ).compactMap { $0.isKnown ? ($0.id, $0.entry) : nil }
    }

    /// Returns the newest line's id, or 0 if there are no lines.
    package func newestID() throws -> Int64 { try sql.integer("SELECT max(id) FROM audit") ?? 0 }

    /// Removes personal details from lines about an erased user, but keeps actions and times.
    package func redact(_ uid: UserID) throws {
        try sql.run(
            """
            UPDATE audit SET actorKind = $1, actorId = $2, actorTerminal = NULL,
                terminalId = NULL, detail = NULL, subject = NULL, before = NULL, after = NULL
            WHERE uid = $3
            """,
            Actor.erased.kind,
            Actor.erased.id,
            uid
        )
    }
}

/// A line of the audit trail with its id.
///
/// The id is roughly the time of creation, in microseconds since 1970.
struct AuditRow: TableRow {
    var id: Int64
    var entry: AuditEntry
    /// Whether this version of the program knows the line's kind; a later version may have written the line.
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
        entry.subject = column("subject", \.entry.subject)
        entry.before = column("before", \.entry.before)
        entry.after = column("after", \.entry.after)
        entry.at = at
        return AuditRow(id: id, entry: entry, isKnown: kind != nil)
    }
}
