import Sodium

/// A type whose values are rows of a table.
///
/// The type describes its columns once. The statements, and the code that reads and writes rows, are derived from this
/// description.
///
/// ```swift
/// extension Home: TableRow {
///     static let table = Table<Home>("home")
///     static func map(_ column: inout ColumnMapper<Home>) -> Home {
///         Home(id: column("homeId", \.id, as: .key), name: column("name", \.name, as: .changing))
///     }
/// }
/// ```
package protocol TableRow: Sendable {
    /// The table.
    static var table: Table<Self> { get }
    /// Passes each column's name and value to `column`, and returns a row of the values that `column` returns.
    ///
    /// Columns are listed, written and read by this method. So it must always name the same columns in the same order.
    static func map(_ column: inout ColumnMapper<Self>) -> Self
}

/// The role of a column in its table; statements select columns by their roles.
package struct ColumnRole: OptionSet, Sendable {
    /// One bit for each role.
    package let rawValue: UInt8

    /// Makes a set of roles from their bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A column that identifies the row.
    package static let key = ColumnRole(rawValue: 1)
    /// A column that is written when the row is inserted, and never changes.
    package static let fixed = ColumnRole(rawValue: 2)
    /// A column that is written again when the row changes.
    package static let changing = ColumnRole(rawValue: 4)
    /// A column that only a separate statement changes.
    package static let apart = ColumnRole(rawValue: 8)
    /// Every column.
    package static let all: ColumnRole = [.key, .fixed, .changing, .apart]
}

/// A statement that writes a row of a table.
package struct RowStatement<Record: TableRow>: Sendable {
    let text: String
    /// The roles of the columns whose values are the statement's parameters.
    ///
    /// In an update, the parameters of the key come last.
    let roles: ColumnRole
    /// The number of the key's first parameter, or nil if all parameters are in the order of the columns.
    let keyStart: Int32?
}

/// The name, columns and statements of a table, derived from the description of its rows.
package struct Table<Record: TableRow>: Sendable {
    /// The table's name.
    package let name: String
    /// The names of all columns, separated by commas, in their order.
    package let columns: String
    /// The beginning of a statement that reads rows: the part before `WHERE`.
    let select: String
    /// The parameters of all columns, separated by commas, in their order.
    private let numbers: String
    /// The statement that inserts a row.
    package let insert: RowStatement<Record>
    /// The statement that inserts a row, or updates the existing row that has the same key.
    package let upsert: RowStatement<Record>
    /// The statement that updates the existing row that has the same key.
    package let update: RowStatement<Record>
    /// The query for the row with a given key; its parameters are the key's values, in column order.
    package let find: String
    private let described: [(name: String, role: ColumnRole)]

    /// Describes a table by its rows.
    package init(_ name: String, of _: Record.Type = Record.self) {
        var mapper = ColumnMapper<Record>()
        _ = Record.map(&mapper)
        self.name = name
        described = mapper.described
        let names = described.map(\.name)
        let keys = described.filter { $0.role == .key }.map(\.name)
        columns = names.joined(separator: ", ")
        select = "SELECT \(columns) FROM \(name) "
        numbers = names.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let insertion = "INSERT INTO \(name) (\(columns)) VALUES (\(numbers))"
        insert = RowStatement(text: insertion, roles: .all, keyStart: nil)
        upsert = Self.upserting(insertion, described, roles: .changing)
        update = Self.updating(name, described, roles: .changing)
        let conditions = Self.equations(keys, from: 1).joined(separator: " AND ")
        find = select + "WHERE \(conditions)"
    }

    /// Returns a statement that inserts a row if a condition holds; `$1` is the first column's value.
    package func inserting(where condition: String) -> RowStatement<Record> {
        RowStatement(
            text: "INSERT INTO \(name) (\(columns)) SELECT \(numbers) WHERE \(condition)",
            roles: .all,
            keyStart: nil
        )
    }

    /// Returns a statement that inserts a row, unless another row has the same values in the unique `columns`.
    package func inserting(beside columns: String) -> RowStatement<Record> {
        RowStatement(text: "\(insert.text) ON CONFLICT (\(columns)) DO NOTHING", roles: .all, keyStart: nil)
    }

    /// Returns a statement that inserts a row, or updates the columns with the given roles if the key exists.
    package func upserting(_ roles: ColumnRole) -> RowStatement<Record> {
        Self.upserting(insert.text, described, roles: roles)
    }

    private static func upserting(
        _ insertion: String,
        _ described: [(name: String, role: ColumnRole)],
        roles: ColumnRole
    ) -> RowStatement<Record> {
        let keys = described.filter { $0.role == .key }.map(\.name).joined(separator: ", ")
        let changes = described.filter { !roles.isDisjoint(with: $0.role) }
            .map { "\($0.name) = excluded.\($0.name)" }
            .joined(separator: ", ")
        let action = changes.isEmpty ? "NOTHING" : "UPDATE SET \(changes)"
        return RowStatement(text: "\(insertion) ON CONFLICT (\(keys)) DO \(action)", roles: .all, keyStart: nil)
    }

    /// Returns a statement that updates an existing row, but only the columns with the given roles.
    package func updating(_ roles: ColumnRole) -> RowStatement<Record> { Self.updating(name, described, roles: roles) }

    private static func updating(
        _ name: String,
        _ described: [(name: String, role: ColumnRole)],
        roles: ColumnRole
    ) -> RowStatement<Record> {
        let values = described.filter { !roles.isDisjoint(with: $0.role) }.map(\.name)
        let keys = described.filter { $0.role == .key }.map(\.name)
        let sets = equations(values, from: 1).joined(separator: ", ")
        let conditions = equations(keys, from: values.count + 1).joined(separator: " AND ")
        return RowStatement(
            text: "UPDATE \(name) SET \(sets) WHERE \(conditions)",
            roles: roles.union(.key),
            keyStart: Int32(values.count + 1)
        )
    }

    /// Returns `name = $number` for each column, with numbers from `first` on.
    private static func equations(_ columns: [String], from first: Int) -> [String] {
        columns.enumerated().map { place, name in "\(name) = $\(first + place)" }
    }

    /// Returns all columns' names with a table's alias, for a query of several tables.
    package func columns(of alias: String) -> String { described.map { "\(alias).\($0.name)" }.joined(separator: ", ") }
}

/// One pass over a row's columns; the pass lists the columns, sets parameters from a row, or reads a row.
package struct ColumnMapper<Record: TableRow> {
    private enum Pass {
        case list, bind, read
    }

    private let pass: Pass
    /// The row to write, as a pointer, since a copy for each column is slow.
    private var record: UnsafePointer<Record>?
    private var target: ParameterTarget?
    /// The roles of the columns whose parameters are set.
    private var roles: ColumnRole = .all
    /// The row to read; in a pass that doesn't read, the row has no values.
    private(set) var row: Row
    private(set) var described: [(name: String, role: ColumnRole)] = []
    private var parameter: Int32 = 1
    private var keyParameter: Int32?

    /// Creates a pass that lists the columns.
    init() {
        pass = .list
        row = Row(.none, nil)
    }

    /// Creates a pass that reads the next columns of a row.
    init(reading row: Row) {
        pass = .read
        self.row = row
    }

    /// Creates a pass that sets parameters from a row, which must outlive the pass.
    init(binding record: UnsafePointer<Record>, to target: ParameterTarget, of rows: RowStatement<Record>, in sql: SQL)
    {
        pass = .bind
        self.record = record
        self.target = target
        roles = rows.roles
        keyParameter = rows.keyStart
        row = Row(.none, sql)
    }

    /// Describes a column by its name, its value in a row, and its role.
    ///
    /// - Returns: The column's value when a row is read, otherwise an empty value.
    package mutating func callAsFunction<Value: ColumnValue>(
        _ name: String,
        _ value: (Record) -> Value,
        as role: ColumnRole = .fixed
    ) -> Value {
        switch pass {
        case .read: return row.next()
        case .list: described.append((name, role))
        case .bind:
            if !roles.isDisjoint(with: role), let record, let target {
                let index = takeParameter(of: role)
                value(record.pointee).bind(to: Parameter(target, index))
            }
        }
        return Value(Column(source: .none, index: 0))
    }

    /// Describes a column whose bytes are stored encrypted.
    package mutating func sealed(
        _ name: String,
        _ value: (Record) -> [UInt8]?,
        as role: ColumnRole = .fixed
    ) -> [UInt8]? {
        let key = row.sql?.key
        return self(name, { value($0).flatMap { key?.seal($0) } }, as: role).flatMap { key?.open($0) }
    }

    private mutating func takeParameter(of role: ColumnRole) -> Int32 {
        if role == .key, let index = keyParameter {
            keyParameter = index + 1
            return index
        }
        defer { parameter += 1 }
        return parameter
    }
}
