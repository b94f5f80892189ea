package import Domain
package import JSON

/// The rules for all payloads.
package enum Payload {
    /// The largest payload, in bytes: 64 KiB.
    package static let bytesMax = 65_536
    /// The largest payload that the broker of `lamplighter up` passes on, in bytes.
    ///
    /// The limit is larger than `bytesMax`. The service can therefore receive a payload that is somewhat too large,
    /// refuse the payload, and tell the sender why.
    package static let receivedBytesMax = 4 * bytesMax
    /// The longest base64 text in a message, in characters.
    ///
    /// The service forwards the text with other fields, in a message of at most 64 KiB.
    package static let binaryMax = 61_440

    /// Parses a payload, which must be a JSON object.
    package static func object(_ bytes: ArraySlice<UInt8>) throws(WireError) -> JSONObject {
        guard bytes.count <= bytesMax else {
            throw WireError("The payload has more than \(bytesMax) bytes.", id: MessageIDScanner.id(in: bytes))
        }
        let value: JSONValue
        do {
            value = try JSONValue.parse(bytes)
        } catch {
            throw WireError(
                "The payload is not valid JSON: \(error.description).",
                id: MessageIDScanner.id(in: bytes)
            )
        }
        guard let object = value.objectValue else {
            throw WireError("The payload must be a JSON object, not of type \(value.kind).")
        }
        return object
    }

    /// Returns the message's id, or nil if the message has no valid id.
    package static func id(of object: JSONObject) -> MessageID? { object["id"]?.stringValue.flatMap { MessageID($0) } }

    /// Calls a function that reads a message's fields, and adds the message's id to errors that the function throws.
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

    /// Returns the storable part of a secret payload: names and sizes, but no values.
    package static func shape(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard let value = try? JSONValue.parse(bytes) else {
            return JSONObject([("bytes", .integer(Int64(bytes.count)))]).encoded()
        }
        return shape(of: value).encoded()
    }

    /// Returns the names and sizes in a value, but not its contents.
    static func shape(of value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object):
            .object(JSONObject(members: object.members.map { .init(key: $0.key, value: shape(of: $0.value)) }))
        case .array(let elements): .string("array of \(elements.count)")
        case .string(let text): .string("string of \(text.utf8.count) bytes")
        default: .string(value.kind)
        }
    }
}
