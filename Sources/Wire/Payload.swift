package import Domain
package import JSON

/// The outermost rules that every payload follows.
package enum Payload {
    /// The largest payload, in bytes: 64 KiB.
    package static let bytesMax = 65_536
    /// The longest base64 text in a message, in characters: what goes on to others carries more
    /// around it, and must not pass 64 KiB either.
    package static let binaryMax = 61_440

    /// Reads a payload as the object that every message is.
    package static func object(_ bytes: ArraySlice<UInt8>) throws(WireError) -> JSONObject {
        guard bytes.count <= bytesMax else {
            throw WireError(
                "The payload has more than \(bytesMax) bytes.",
                id: JSONGlance.id(in: bytes)
            )
        }
        let value: JSONValue
        do {
            value = try JSONValue.parse(bytes)
        } catch {
            throw WireError(
                "The payload is no valid JSON: \(error.description).",
                id: JSONGlance.id(in: bytes)
            )
        }
        guard let object = value.objectValue else {
            throw WireError("The payload is no JSON object but of type \(value.kind).")
        }
        return object
    }

    /// The message's id where it has a good one.
    package static func id(of object: JSONObject) -> MessageID? {
        object["id"]?.stringValue.flatMap { MessageID($0) }
    }

    /// Runs a reader of fields and puts the message's id on what it refuses.
    static func read<Value>(
        _ object: JSONObject,
        _ body: (Fields) throws(Rejection) -> Value
    ) throws(WireError) -> Value {
        do {
            return try body(Fields(object))
        } catch {
            throw WireError(error.message, field: error.field, id: id(of: object))
        }
    }

    /// What of a payload may be kept that holds secrets: names and sizes, never values.
    package static func shape(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard let value = try? JSONValue.parse(bytes) else {
            return JSONObject([("bytes", .integer(Int64(bytes.count)))]).encoded()
        }
        return shape(of: value).encoded()
    }

    private static func shape(of value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object):
            .object(
                JSONObject(
                    members: object.members.map { .init(key: $0.key, value: shape(of: $0.value)) }
                )
            )
        case .array(let elements): .string("array of \(elements.count)")
        case .string(let text): .string("string of \(text.utf8.count) bytes")
        default: .string(value.kind)
        }
    }
}
