package import Domain
import Glibc

/// A copy of a whole store into another, of either engine.
///
/// Tables are copied in the order in which they refer to each other, rows in the order of their keys, some thousands in
/// a transaction. If a copy ends early, the next one continues after the last row in the target. The target has the
/// table `moving` until everything is copied and compared, and can't otherwise be opened.
package struct StoreMove {
    /// A reason why a store can't be moved.
    package enum Failure: Error, Equatable {
        /// The target already holds data.
        case targetInUse(table: String)
        /// Messages wait in the source to be published; `rows` is their number of rows, and `topics` are some topics
        /// with their numbers of messages.
        case outboxNotEmpty(rows: Int64, topics: [String])
        /// The process with this name still works on the source.
        case sourceInUse(node: String)
        /// PostgreSQL doesn't accept a text, for a reason and at a place.
        case text(row: String, column: String, reason: String)
        /// The target's rows of a table differ from the source's.
        case unequal(table: String, source: TableSum, target: TableSum)
    }

    /// One table that was copied, equal on both sides.
    package struct Table: Sendable {
        /// Its name.
        package let name: String
        /// Its rows and their checksum.
        package let sum: TableSum
    }

    /// The maximum number of rows of one transaction.
    static let rowsMax = 10_000
    /// The approximate bytes of one transaction; one row can take a megabyte.
    static let bytesMax = 8 << 20
    /// The tables about running processes; during a move none runs.
    private static let leftOut: Set = ["node", "lease"]
    /// The table of facts about the store itself, copied at the end, since the target already has facts.
    private static let facts = "meta"
    /// How many topics of waiting messages are named.
    private static let topicsShownMax = 5
    /// How often it checks for other processes on the source, a tenth of a second apart.
    private static let looks = 20

    private let source: Store
    private let target: Store
    private let tables = StoredTable.all().filter { !Self.leftOut.contains($0.name) }

    /// Prepares a copy; nothing may write to the source from now on.
    package init(from source: Store, to target: Store) {
        self.source = source
        self.target = target
    }

    /// Copies, compares, and makes the target usable; returns its tables.
    ///
    /// `progress` gets the current activity and the completed part, from 0 to 1. If it throws, the copy ends, and the
    /// next one continues it.
    ///
    /// - Throws: `Failure`, what the stores throw, or what `progress` throws.
    package func run(
        at now: Instant,
        progress: (String, Double) throws -> Void
    ) throws -> [Table] {
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
        // A process that began meanwhile may have changed compared rows.
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

    /// Refuses a source on which a process works, even one that works alone and so has no name there.
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
            // The server may not have noticed yet that a process or a command has ended.
            usleep(100_000)
        }
    }

    /// Marks the target as half filled; it must be empty, or marked already.
    private func begin(at now: Instant) throws {
        guard try !target.isHalfMoved else { return }
        try target.batch(at: now) { tx in
            for table in tables where table.name != Self.facts {
                guard try tx.sql.lastKey(of: table) == nil else { throw Failure.targetInUse(table: table.name) }
            }
            try tx.sql.run("CREATE TABLE moving (since \(target.isShared ? "BIGINT" : "INTEGER"))")
        }
    }

    /// Returns a table's number of rows, for the progress; an estimate where counting can exceed a statement's time
    /// limit.
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

    private func copy(
        _ table: StoredTable,
        at now: Instant,
        copied: (Int64) throws -> Void
    ) throws {
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
            try $0.sql.page(
                of: table,
                behind: key,
                rowsMax: Self.rowsMax,
                bytesMax: Self.bytesMax
            )
        }
        return rows.isEmpty ? nil : rows
    }

    /// Refuses a text that PostgreSQL doesn't accept.
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

    /// Copies the facts, makes the engine number rows after the existing ones, and removes the mark, in one
    /// transaction.
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
            if target.isShared {
                for table in tables { try tx.sql.numberBehind(table) }
            }
            try tx.sql.run("DROP TABLE moving")
        }
        return try compare(facts)
    }
}

extension SQL {
    /// Makes PostgreSQL number a table's next row after the last existing one.
    fileprivate func numberBehind(_ table: StoredTable) throws {
        guard let column = table.numbered, let last = try integer("SELECT max(\(column)) FROM \(table.name)") else {
            return
        }
        _ = try integer("SELECT setval(pg_get_serial_sequence('\(table.name)', '\(column)'), $1)", last)
    }
}
