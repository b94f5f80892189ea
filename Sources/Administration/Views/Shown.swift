package import Domain
package import JSON

/// The JSON forms that all views use for common values, such as times, names and numbers.
package enum Shown {
    /// Returns a time in milliseconds since 1970.
    package static func moment(_ instant: Instant) -> JSONValue { .integer(instant.milliseconds) }

    /// Returns a name; nil if the name is empty.
    package static func name(_ text: String?) -> JSONValue? { text.flatMap { $0.isEmpty ? nil : .string($0) } }

    /// Returns an object with `items`, and with the next page's cursor if a page follows.
    package static func page(_ items: [JSONObject], next: String? = nil) -> JSONObject {
        JSONObject(showing: ["items": items, "next": next])
    }

    /// Returns a number; a number without a fraction becomes an integer.
    package static func number(_ value: Double) -> JSONValue {
        Int64(exactly: value).flatMap { $0.magnitude <= UInt64(JSONValue.integerMax) ? .integer($0) : nil }
            ?? .double(value)
    }

    /// Returns a count as an integer.
    package static func count(_ number: Int) -> JSONValue { .integer(Int64(number)) }
}
