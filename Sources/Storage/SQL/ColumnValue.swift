package import Domain
package import JSON

/// A value that can be a row's column or a statement's parameter.
package protocol ColumnValue {
    /// Reads a column's value; NULL gives 0 or another empty value.
    init(_ column: Column)
    /// Sets a parameter to this value.
    func bind(to parameter: Parameter)
    /// The type that the engine uses to store the value.
    static var columnType: ColumnType { get }
}

// MARK: Types of the engine

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

/// A Boolean value is stored as 0 or 1.
extension Bool: ColumnValue {
    package static var columnType: ColumnType { .integer }
    package init(_ column: Column) { self = column.integer != 0 }
    package func bind(to parameter: Parameter) { parameter.set(self ? 1 : 0 as Int64) }
}

extension String: ColumnValue {
    package static var columnType: ColumnType { .text }
    package init(_ column: Column) { self = column.withText { String(decoding: $0, as: UTF8.self) } }

    package func bind(to parameter: Parameter) {
        var text = self
        text.withUTF8 { parameter.set(text: UnsafeRawBufferPointer($0)) }
    }
}

/// An array of bytes is stored as a blob.
extension [UInt8]: ColumnValue {
    package static var columnType: ColumnType { .bytes }
    package init(_ column: Column) { self = column.withBlob { Array($0) } }

    package func bind(to parameter: Parameter) {
        withUnsafeBytes { parameter.set(blob: $0) }
    }
}

/// An optional value is stored as NULL if it is nil.
extension Optional: ColumnValue where Wrapped: ColumnValue {
    package static var columnType: ColumnType { Wrapped.columnType }
    package init(_ column: Column) { self = column.isNull ? nil : Wrapped(column) }

    package func bind(to parameter: Parameter) {
        if let self { self.bind(to: parameter) } else { parameter.setNull(Wrapped.columnType) }
    }
}

// MARK: Our types

/// A time is stored as milliseconds since 1970.
extension Instant: ColumnValue {
    package static var columnType: ColumnType { .integer }
    package init(_ column: Column) { self.init(milliseconds: column.integer) }
    package func bind(to parameter: Parameter) { parameter.set(milliseconds) }
}

/// An identifier is stored as its text, which was checked when it was received.
extension Identifier: ColumnValue {
    package static var columnType: ColumnType { .text }
    package init(_ column: Column) { self.init(trusted: String(column)) }
    package func bind(to parameter: Parameter) { text.bind(to: parameter) }
}

/// A JSON object is stored as text, and invalid text or NULL becomes an empty object.
extension JSONObject: ColumnValue {
    package static var columnType: ColumnType { .text }
    package init(_ column: Column) {
        self = column.withText { $0.isEmpty ? nil : try? JSONValue.parse($0).objectValue } ?? [:]
    }

    package func bind(to parameter: Parameter) { encoded().withUnsafeBytes { parameter.set(text: $0) } }
}

/// Conversions between dictionaries of strings and JSON objects in encrypted columns.
extension JSONObject {
    /// Makes an object from a dictionary, with the members sorted by name.
    init(texts: [String: String]) { self.init(texts.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }) }
    /// The members as strings, with an empty string for a value of another type.
    var texts: [String: String] {
        Dictionary(members.map { ($0.key, $0.value.stringValue ?? "") }) { first, _ in first }
    }
}

/// A JSON value is stored as text; invalid text gives null.
extension JSONValue: ColumnValue {
    package static var columnType: ColumnType { .text }
    package init(_ column: Column) { self = column.withText { $0.isEmpty ? nil : try? JSONValue.parse($0) } ?? .null }

    package func bind(to parameter: Parameter) { encoded().withUnsafeBytes { parameter.set(text: $0) } }
}

/// UTF-8 bytes that are stored as text.
struct TextBytes: ColumnValue {
    static var columnType: ColumnType { .text }
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
    init(_ column: Column) { bytes = column.withText { Array($0) } }
    func bind(to parameter: Parameter) { bytes.withUnsafeBytes { parameter.set(text: $0) } }
}

/// A case of an enumeration, stored as its name.
protocol StoredName: ColumnValue, RawRepresentable where RawValue == String {
    /// The case for a name that this version doesn't know, such as the role with the fewest rights.
    static var unknown: Self { get }
}

extension StoredName {
    package static var columnType: ColumnType { .text }
    package init(_ column: Column) { self = Self(rawValue: String(column)) ?? .unknown }
    package func bind(to parameter: Parameter) { rawValue.bind(to: parameter) }
}
