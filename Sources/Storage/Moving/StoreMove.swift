package import Domain
import Glibc

/// Copies all that one store holds into another, of either engine.
///
/// Tables go in the order in which they refer to each other, rows in the order of their keys, some thousands in a
/// transaction; where a copy ended, for whatever reason, the next one goes on behind the last row that is there. The
/// store that is filled has the table `moving` until all is copied and compared, and can't be opened otherwise.
package struct StoreMove {
    /// Why a store can't be moved.
    package enum Failure: Error, Equatable {
        /// The target holds something already.
        case targetInUse(table: String)
        /// Messages wait in the source to be published: so many rows, and topics of theirs with how many each has.
        case outboxNotEmpty(rows: Int64, topics: [String])
        /// A process works on the source, whose name this is.
        case sourceInUse(node: String)
        /// PostgreSQL does not take a text: why not, and where it stands.
        case text(row: String, column: String, reason: String)
        /// The target's rows of a table are not the source's.
        case unequal(table: String, source: TableSum, target: TableSum)
    }

    /// One table that was copied, equal on both sides.
    package struct Table: Sendable {
        /// Its name.
        package let name: String
        /// Its rows and their checksum.
        package let sum: TableSum
    }

    /// Rows of one transaction.
    static let rowsMax = 10_000
    /// Bytes of one transaction, about: a row may take a megabyte.
    static let bytesMax = 8 << 20
    /// What is said of processes that run, which none does.
    private static let leftOut: Set = ["node", "lease"]
    /// Facts about the store itself: copied at the end, since those of the target are there already.
    private static let facts = "meta"
    /// How many topics of messages that wait are named.
    private static let topicsShownMax = 5
    /// How often it looks for others on the source, a tenth of a second apart.
    private static let looks = 20

    private let source: Store
    private let target: Store
    private let tables = StoredTable.all().filter { !Self.leftOut.contains($0.name) }

    /// Prepares a copy; nobody may write to the source from now on.
    package init(from source: Store, to target: Store) {
        self.source = source
        self.target = target
    }

    /// Copies, compares, and makes the target usable; returns its tables.
    ///
    /// `progress` is told what is being done and the part that is done, from 0 to 1; what it throws ends the copy, which
    /// the next one goes on with.
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
        // Who began meanwhile may have changed what was compared.
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

    /// Refuses a source on which a process works, also one that shares it with no other and so has no name there.
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
            // The server may not have noticed yet that a process has ended just now, or a command.
            usleep(100_000)
        }
    }

    /// Marks the target as half filled; it must be empty unless it is that already.
    private func begin(at now: Instant) throws {
        guard try !target.isHalfMoved else { return }
        try target.batch(at: now) { tx in
            for table in tables where table.name != Self.facts {
                guard try tx.sql.lastKey(of: table) == nil else {
                    throw Failure.targetInUse(table: table.name)
                }
            }
            try tx.sql.run("CREATE TABLE moving (since \(target.isShared ? "BIGINT" : "INTEGER"))")
        }
    }

    /// Returns how many rows a table has, for the progress; about, where counting may take longer than a statement may.
    private func count(_ table: StoredTable, in store: Store) throws -> Int64 {
        try store.read { tx in
            guard store.isShared else {
                return try tx.sql.integer("SELECT count(*) FROM \(table.name)")
            }
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

    private func page(
        of table: StoredTable,
        in store: Store,
        behind key: [StoredValue]?
    ) throws -> [[StoredValue]]? {
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

    /// Refuses a text that PostgreSQL does not take.
    private func check(_ row: [StoredValue], of table: StoredTable) throws {
        for (column, value) in zip(table.columns, row) {
            guard case .text(let bytes) = value else { continue }
            let reason: String
            if bytes.contains(0) {
                reason = "it has a NUL character"
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
        guard wanted == actual else {
            throw Failure.unequal(table: table.name, source: wanted, target: actual)
        }
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

    /// Copies the facts, has the engine number rows behind those that are there, and removes the mark, all at once.
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
    /// Has PostgreSQL number a table's next row behind the last that is there.
    fileprivate func numberBehind(_ table: StoredTable) throws {
        guard let column = table.numbered,
            let last = try integer("SELECT max(\(column)) FROM \(table.name)")
        else { return }
        _ = try integer(
            "SELECT setval(pg_get_serial_sequence('\(table.name)', '\(column)'), $1)",
            last
        )
    }
}
