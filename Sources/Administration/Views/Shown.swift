import Domain
import JSON

/// The forms of values that all views share.
enum Shown {
    /// Returns a moment, in milliseconds since 1970.
    static func moment(_ instant: Instant) -> JSONValue { .integer(instant.milliseconds) }

    /// Returns a name; nil if it's empty.
    static func name(_ text: String?) -> JSONValue? {
        text.flatMap { $0.isEmpty ? nil : .string($0) }
    }

    /// Returns a list of objects (`items`), with the cursor of the next page, if any.
    static func page(_ items: [JSONObject], next: String? = nil) -> JSONObject {
        [
            "items": .array(items.map { .object($0) }), "next": next.map { .string($0) },
        ]
    }

    /// Returns a number; one without a fraction becomes an integer.
    static func number(_ value: Double) -> JSONValue {
        Int64(exactly: value).flatMap {
            $0.magnitude <= UInt64(JSONValue.integerMax) ? .integer($0) : nil
        }
            ?? .double(value)
    }

    /// Returns an integer.
    static func count(_ number: Int) -> JSONValue { .integer(Int64(number)) }
}
