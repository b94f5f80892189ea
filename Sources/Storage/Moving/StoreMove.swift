package import Domain
import Glibc

/// Copies a whole store into another store; each can be a file or a PostgreSQL database.
///
/// A table is copied after the tables that it refers to. Rows are copied in the order of their keys, up to 10,000 in
/// one transaction. If a copy ends early, the next copy continues after the last row in the target. The table `moving`
/// blocks other uses of the target until all tables except `meta` are compared. The table `meta` is copied last.
package struct StoreMove {
    /// A reason why a store can't be moved.
    package enum Failure: Error, Equatable {
        /// The target already contains data.
        case targetInUse(table: String)
        /// The outbox has `rows` unpublished rows, and `topics` lists some topics with message counts.
        case outboxNotEmpty(rows: Int64, topics: [String])
        /// The process with this name is still working on the source.
        case sourceInUse(node: String)
        /// PostgreSQL doesn't accept a string from the source, for the given reason.
        case text(row: String, column: String, reason: String)
        /// The rows of a table in the target differ from those in the source.
        case unequal(table: String, source: TableSum, target: TableSum)
    }

    /// A copied table, which is now equal in both stores.
    package struct Table: Sendable {
        /// The table's name.
        package let name: String
        /// The number of the table's rows, and their checksum.
        package let sum: TableSum
    }

    /// How many rows one transaction copies, at most.
    static let rowsMax = 10_000
    /// The approximate maximum size of one transaction, in bytes.
    static let bytesMax = 8 << 20
    /// The tables about running processes; they aren't copied, because no process of the service runs during a move.
    private static let leftOut: Set = ["node", "lease"]
    /// The table of facts, copied last because the target has its own facts.
    private static let facts = "meta"
    /// How many topics of waiting messages an error names, at most.
    private static let topicsShownMax = 5
    /// How many times, at most, a move checks whether another process uses the source.
    ///
    /// The checks are 0.1 seconds apart.
    private static let looks = 20

    private let source: Store
    private let target: Store
    private let tables = StoredTable.all().filter { !Self.leftOut.contains($0.name) }

    /// Prepares a copy; from now on, no process may write to the source.
    package init(from source: Store, to target: Store) {
        (self.source, self.target) = (source, target)
    }

    /// Copies the source, compares both stores, makes the target usable, and returns the copied tables.
    ///
    /// `progress` is called with the current activity and the completed part, from 0 to 1. If `progress` throws an
    /// error, this copy ends, and the next copy continues the work.
    ///
    /// - Throws: `Failure`, an error of the stores, or an error of `progress`.
    package func run(at now: Instant, progress: (String, Double) throws -> Void) throws -> [Table] {
        try checkSource()
        try begin(at: now)
        let wanted = try tables.reduce(into: [:]) { $0[$1.name] = try count($1, in: source) }
        let all = max(1, wanted.values.reduce(0, +))
        var done: Int64 = 0
        for table in tables where table.name != Self.facts {
            done += try count(table, in: target)
            if table.name == "history" { try target.makeHistoryPartitions(for: source) }
            try copy(table, at: now) { rows in
                done += rows
                try progress("copying", min(1, Double(done) / Double(all)))
            }
        }
        var compared: [Table] = []
        done = 0
        for table in tables where table.name != Self.facts {
            compared.append(try compare(table))
            done += wanted[table.name] ?? 0
            try progress("comparing", min(1, Double(done) / Double(all)))
        }
        // A process that has started meanwhile may have changed rows after they were compared.
        try checkIsUnused()
        return try [finish(at: now)] + compared
    }

    // MARK: Before

    private func checkSource() throws {
        try checkIsUnused()
        let waiting = try source.read { try $0.sql.integer("SELECT count(*) FROM outbox") } ?? 0
        guard waiting > 0 else { return }
        let topics = try source.read { try $0.outbox.topics(limit: Self.topicsShownMax) }
        let shown = topics.map { "\($0.count) for \($0.topic)" }
        throw Failure.outboxNotEmpty(rows: waiting, topics: shown)
    }

    /// Throws if another process uses the source, even one without a row in `node`.
    private func checkIsUnused() throws {
        guard let id = source.processID else { return }
        var left = Self.looks
        while true {
            let (node, stranger) = try source.coordinate { cluster in
                (try cluster.nodes.living().first, try cluster.nodes.stranger(besides: id))
            }
            if let node { throw Failure.sourceInUse(node: node.name) }
            guard let stranger else { return }
            left -= 1
            guard left > 0 else { throw Failure.sourceInUse(node: stranger) }
            // The server might not have noticed yet that a process has ended.
            usleep(100_000)
        }
    }

    /// Marks the target as half filled; the target must be empty or already marked.
    private func begin(at now: Instant) throws {
        guard try !target.isHalfMoved else { return }
        try target.batch(at: now) { tx in
            for table in tables where table.name != Self.facts {
                guard try tx.sql.lastKey(of: table) == nil else { throw Failure.targetInUse(table: table.name) }
            }
            try tx.sql.run("CREATE TABLE moving (since \(target.isShared ? "BIGINT" : "INTEGER"))")
        }
    }

    /// Returns the number of a table's rows, or on PostgreSQL an estimate, since counting can take too long.
    private func count(_ table: StoredTable, in store: Store) throws -> Int64 {
        try store.read { tx in
            guard store.isShared else { return try tx.sql.integer("SELECT count(*) FROM \(table.name)") }
            return try tx.sql.integer(
                """
                SELECT CAST(coalesce(sum(greatest(reltuples, 0)), 0) AS BIGINT) FROM pg_class
                WHERE relkind = 'r' AND (oid = to_regclass($1) OR oid IN (
                    SELECT inhrelid FROM pg_inherits WHERE inhparent = to_regclass($1)))
                """,
                table.name
            )
        } ?? 0
    }

    // MARK: Copying

    private func copy(_ table: StoredTable, at now: Instant, copied: (Int64) throws -> Void) throws {
        var key = try target.read { try $0.sql.lastKey(of: table) }
        while let rows = try page(of: table, in: source, behind: key), let last = rows.last {
            if target.isShared { for row in rows { try check(row, of: table) } }
            try target.writeWithoutSync(at: now) { tx in try tx.sql.insert(rows, into: table) }
            key = table.key(of: last)
            try copied(Int64(rows.count))
        }
    }

    private func page(of table: StoredTable, in store: Store, behind key: [StoredValue]?) throws -> [[StoredValue]]? {
        let rows = try store.read {
            try $0.sql.page(of: table, behind: key, rowsMax: Self.rowsMax, bytesMax: Self.bytesMax)
        }
        return rows.isEmpty ? nil : rows
    }

    /// Throws an error if PostgreSQL doesn't accept a string of a row.
    private func check(_ row: [StoredValue], of table: StoredTable) throws {
        for (column, value) in zip(table.columns, row) {
            guard case .text(let bytes) = value else { continue }
            let reason: String
            if bytes.contains(0) {
                reason = "it contains a NUL character"
            } else if String(validating: bytes, as: UTF8.self) == nil {
                reason = "it is not UTF-8"
            } else {
                continue
            }
            throw Failure.text(row: table.shown(row), column: column.name, reason: reason)
        }
    }

    // MARK: Comparing

    private func compare(_ table: StoredTable) throws -> Table {
        let (wanted, actual) = (try sum(table, in: source), try sum(table, in: target))
        guard wanted == actual else { throw Failure.unequal(table: table.name, source: wanted, target: actual) }
        return Table(name: table.name, sum: actual)
    }

    private func sum(_ table: StoredTable, in store: Store) throws -> TableSum {
        var sum = TableSum()
        var key: [StoredValue]?
        while let rows = try page(of: table, in: store, behind: key), let last = rows.last {
            for row in rows { sum.add(row) }
            key = table.key(of: last)
        }
        return sum
    }

    // MARK: The end

    /// Copies the store's facts, sets the tables' next row numbers, and removes the table `moving`, in one transaction.
    private func finish(at now: Instant) throws -> Table {
        guard let facts = tables.first(where: { $0.name == Self.facts }) else {
            preconditionFailure("there is no table of facts")
        }
        try target.batch(at: now) { tx in
            let rows = try source.read {
                try $0.sql.page(of: facts, behind: nil, rowsMax: Self.rowsMax, bytesMax: .max)
            }
            try tx.sql.run("DELETE FROM \(facts.name)")
            try tx.sql.insert(rows, into: facts)
            if target.isShared { for table in tables { try tx.sql.numberBehind(table) } }
            try tx.sql.run("DROP TABLE moving")
        }
        return try compare(facts)
    }
}

extension SQL {
    /// Makes PostgreSQL give the next row the largest existing number plus one.
    fileprivate func numberBehind(_ table: StoredTable) throws {
        guard let column = table.numbered, let last = try integer("SELECT max(\(column)) FROM \(table.name)") else {
            return
        }
        _ = try integer("SELECT setval(pg_get_serial_sequence('\(table.name)', '\(column)'), $1)", last)
    }
}
