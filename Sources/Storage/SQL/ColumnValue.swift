package import Domain
package import JSON

/// A value that one column of a row holds, and one parameter of a statement takes.
package protocol ColumnValue {
    /// Reads a column; one that holds nothing gives 0, an empty text or the like.
    init(_ column: Column)
    /// Gives a parameter this value.
    func bind(to parameter: Parameter)
    /// What the engine holds it as.
    static var columnType: ColumnType { get }
}

// MARK: What the engine stores

extension Int64: ColumnValue {
    package static var columnType: ColumnType { .integer }
    package init(_ column: Column) { self = column.integer }
    package func bind(to parameter: Parameter) { parameter.set(self) }
}

extension Int: ColumnValue {
    package static var columnType: ColumnType { .integer }
    package init(_ column: Column) { self.init(clamping: column.integer) }
    package func bind(to parameter: Parameter) { parameter.set(Int64(self)) }
}

extension Double: ColumnValue {
    package static var columnType: ColumnType { .number }
    package init(_ column: Column) { self = column.double }
    package func bind(to parameter: Parameter) { parameter.set(self) }
}

/// Stored as 0 or 1.
extension Bool: ColumnValue {
    package static var columnType: ColumnType { .integer }
    package init(_ column: Column) { self = column.integer != 0 }
    package func bind(to parameter: Parameter) { parameter.set(self ? 1 : 0 as Int64) }
}

extension String: ColumnValue {
    package static var columnType: ColumnType { .text }
    package init(_ column: Column) {
        self = column.withText { String(decoding: $0, as: UTF8.self) }
    }

    package func bind(to parameter: Parameter) {
        var text = self
        text.withUTF8 { parameter.set(text: UnsafeRawBufferPointer($0)) }
    }
}

/// Stored as a blob.
extension [UInt8]: ColumnValue {
    package static var columnType: ColumnType { .bytes }
    package init(_ column: Column) { self = column.withBlob { Array($0) } }

    package func bind(to parameter: Parameter) {
        withUnsafeBytes { parameter.set(blob: $0) }
    }
}

/// Stored as NULL where nil.
extension Optional: ColumnValue where Wrapped: ColumnValue {
    package static var columnType: ColumnType { Wrapped.columnType }
    package init(_ column: Column) { self = column.isNull ? nil : Wrapped(column) }

    package func bind(to parameter: Parameter) {
        if let self { self.bind(to: parameter) } else { parameter.setNull(Wrapped.columnType) }
    }
}

// MARK: What our types are stored as

/// Stored as milliseconds since 1970.
extension Instant: ColumnValue {
    package static var columnType: ColumnType { .integer }
    package init(_ column: Column) { self.init(milliseconds: column.integer) }
    package func bind(to parameter: Parameter) { parameter.set(milliseconds) }
}

/// Stored as its text, which was checked when it came in.
extension Identifier: ColumnValue {
    package static var columnType: ColumnType { .text }
    package init(_ column: Column) { self.init(trusted: String(column)) }
    package func bind(to parameter: Parameter) { text.bind(to: parameter) }
}

/// A JSON document, stored as text; what can't be read is an empty object, and so is nothing, as while a row is bound.
extension JSONObject: ColumnValue {
    package static var columnType: ColumnType { .text }
    package init(_ column: Column) {
        self = column.withText { $0.isEmpty ? nil : try? JSONValue.parse($0).objectValue } ?? [:]
    }

    package func bind(to parameter: Parameter) {
        encoded().withUnsafeBytes { parameter.set(text: $0) }
    }
}

/// A JSON value, stored as text; what can't be read is null.
extension JSONValue: ColumnValue {
    package static var columnType: ColumnType { .text }
    package init(_ column: Column) {
        self = column.withText { $0.isEmpty ? nil : try? JSONValue.parse($0) } ?? .null
    }

    package func bind(to parameter: Parameter) {
        encoded().withUnsafeBytes { parameter.set(text: $0) }
    }
}

/// UTF-8 bytes that are stored as a text.
struct TextBytes: ColumnValue {
    static var columnType: ColumnType { .text }
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
    init(_ column: Column) { bytes = column.withText { Array($0) } }
    func bind(to parameter: Parameter) { bytes.withUnsafeBytes { parameter.set(text: $0) } }
}

/// A case of an enumeration, stored as its name.
protocol StoredName: ColumnValue, RawRepresentable where RawValue == String {
    /// Stands for a name that this version does not know: the case that allows least.
    static var unknown: Self { get }
}

extension StoredName {
    package static var columnType: ColumnType { .text }
    package init(_ column: Column) { self = Self(rawValue: String(column)) ?? .unknown }
    package func bind(to parameter: Parameter) { rawValue.bind(to: parameter) }
}
