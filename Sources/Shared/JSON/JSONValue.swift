/// A JSON value, as sent in messages.
///
/// The `JSON` module is the only JSON reader and writer of the project. The module is strict and small, and doesn't use
/// Foundation. It also runs in the gate inside the broker, and reads every device report. The module distinguishes
/// integers from other numbers, so that ids and times stay exact.
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number without fraction or exponent, within ±(2^53−1).
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The largest integer that every JSON reader represents exactly.
    package static let integerMax: Int64 = 9_007_199_254_740_991
}

extension JSONValue {
    /// The text if the value is a string; otherwise nil.
    package var stringValue: String? { if case .string(let value) = self { value } else { nil } }

    /// The truth value if the value is a Boolean; otherwise nil.
    package var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The integer of a number without a fraction (`3` or `3.0`), otherwise nil.
    package var intValue: Int64? {
        switch self {
        case .integer(let value): value
        case .double(let value) where abs(value) <= Double(Self.integerMax): Int64(exactly: value)
        default: nil
        }
    }

    /// A number's value as a double, or nil for any other value.
    package var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The elements if the value is an array; otherwise nil.
    package var arrayValue: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

    /// The object if the value is an object; otherwise nil.
    package var objectValue: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// The name of the value's JSON type, for error messages.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .integer: "integer"
        case .double: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// Returns whether two values mean the same, as for example `1` and `1.0` do.
    package func means(_ other: JSONValue) -> Bool {
        if let left = doubleValue, let right = other.doubleValue { return left == right }
        return self == other
    }
}

extension JSONValue {
    /// Returns whether two values have the same type and are equal.
    ///
    /// An integer never equals a number with a fraction or an exponent, so `1` and `1.0` differ. Strings are compared
    /// by code points. The members of an object may be in any order.
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.isSame(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(floatLiteral value: Double) { self = .double(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}
