import Domain
import JSON

/// Values as all views write them.
enum Shown {
    /// A moment, in milliseconds since 1970.
    static func moment(_ instant: Instant) -> JSONValue { .integer(instant.milliseconds) }

    /// A name; nothing where it is empty.
    static func name(_ text: String?) -> JSONValue? {
        text.flatMap { $0.isEmpty ? nil : .string($0) }
    }

    /// A list of objects (`items`), with the cursor of the next page if there is one.
    static func page(_ items: [JSONObject], next: String? = nil) -> JSONObject {
        [
            "items": .array(items.map { .object($0) }), "next": next.map { .string($0) },
        ]
    }

    /// A number; one without a fraction as a whole one.
    static func number(_ value: Double) -> JSONValue {
        Int64(exactly: value).flatMap {
            $0.magnitude <= UInt64(JSONValue.integerMax) ? .integer($0) : nil
        }
            ?? .double(value)
    }

    /// A whole number.
    static func count(_ number: Int) -> JSONValue { .integer(Int64(number)) }
}
