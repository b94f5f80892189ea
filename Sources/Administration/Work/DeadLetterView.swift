import Domain
package import JSON
import Sodium
package import Storage
package import Wire

/// Dead letters in the interface's form.
package enum DeadLetterView {
    /// Returns rows of the list (`DeadLetterRow`), with the devices that their topics name.
    package static func rows(
        _ letters: [DeadLetter],
        _ topics: Topics,
        in tx: Transaction
    ) throws -> [JSONObject] {
        let dids = letters.map { topics.device(of: $0.topic) }
        let names = try tx.devices.names(of: dids.compactMap(\.self))
        return zip(letters, dids).map { row($0, of: $1, named: $1.flatMap { names[$0] }) }
    }

    private static func row(
        _ letter: DeadLetter,
        of did: DeviceID?,
        named name: String?
    ) -> JSONObject {
        JSONObject([
            ("id", .integer(letter.id)), ("at", Shown.moment(letter.at)),
            ("worker", .string(letter.worker)), ("topic", .string(letter.topic)),
            ("reason", .string(letter.reason)), ("bytes", Shown.count(letter.payload.count)),
            ("isShapeOnly", .bool(letter.isShapeOnly)),
            ("did", did.map { .string($0.text) }), ("deviceName", Shown.name(name)),
        ])
    }

    /// Returns a letter with its payload and, if that isn't JSON, the place of the fault.
    static func whole(
        _ letter: DeadLetter,
        _ topics: Topics,
        in tx: Transaction
    ) throws -> JSONObject {
        let text = String(validating: letter.payload, as: UTF8.self)
        var offset: Int?
        if !letter.isShapeOnly {
            do throws(JSONError) { _ = try JSONValue.parse(letter.payload) } catch {
                offset = error.offset
            }
        }
        return JSONObject([
            ("row", try rows([letter], topics, in: tx).first.map { .object($0) }),
            ("text", text.map { .string($0) }),
            ("base64", text == nil ? .string(Sodium.base64(letter.payload)) : nil),
            ("offset", offset.map(Shown.count)),
        ])
    }
}
