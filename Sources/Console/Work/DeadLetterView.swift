import JSON
import Sodium
import Storage

/// Dead letters as the interface shows them.
enum DeadLetterView {
    /// Returns a row of the list (`DeadLetterRow`).
    static func row(_ letter: DeadLetter) -> JSONObject {
        JSONObject([
            ("id", .integer(letter.id)), ("at", Shown.moment(letter.at)),
            ("worker", .string(letter.worker)), ("topic", .string(letter.topic)),
            ("reason", .string(letter.reason)), ("bytes", Shown.count(letter.payload.count)),
            ("isShapeOnly", .bool(letter.isShapeOnly)),
        ])
    }

    /// Returns a letter with its payload, and the place that is at fault where it is no JSON.
    static func whole(_ letter: DeadLetter) -> JSONObject {
        let text = String(validating: letter.payload, as: UTF8.self)
        var offset: Int?
        if !letter.isShapeOnly {
            do throws(JSONError) { _ = try JSONValue.parse(letter.payload) } catch {
                offset = error.offset
            }
        }
        return JSONObject([
            ("row", .object(row(letter))), ("text", text.map { .string($0) }),
            ("base64", text == nil ? .string(Sodium.base64(letter.payload)) : nil),
            ("offset", offset.map(Shown.count)),
        ])
    }
}
