import Domain
package import JSON
import Sodium
package import Storage
package import Wire

/// The JSON form of dead letters in the console's interface.
package enum DeadLetterView {
    /// Returns dead letters as rows (`DeadLetterRow`).
    ///
    /// If a dead letter's topic contains a device's id, the row also contains the device's id and name.
    package static func rows(_ letters: [DeadLetter], _ topics: Topics, in tx: Transaction) throws -> [JSONObject] {
        let dids = letters.map { topics.device(of: $0.topic) }
        let names = try tx.devices.names(of: dids.compactMap(\.self))
        return zip(letters, dids).map { row($0, of: $1, named: $1.flatMap { names[$0] }) }
    }

    private static func row(_ letter: DeadLetter, of did: DeviceID?, named name: String?) -> JSONObject {
        JSONObject(showing: [
            "id": letter.id, "at": letter.at, "worker": letter.worker, "topic": letter.topic, "reason": letter.reason,
            "bytes": letter.payload.count, "isShapeOnly": letter.isShapeOnly, "did": did,
            "deviceName": Shown.name(name),
        ])
    }

    /// Returns a dead letter with its payload and, if the payload isn't valid JSON, the position of the error.
    static func whole(_ letter: DeadLetter, _ topics: Topics, in tx: Transaction) throws -> JSONObject {
        let text = String(validating: letter.payload, as: UTF8.self)
        var offset: Int?
        if !letter.isShapeOnly {
            do throws(JSONError) { _ = try JSONValue.parse(letter.payload) } catch { offset = error.offset }
        }
        return JSONObject(showing: [
            "row": try rows([letter], topics, in: tx).first, "text": text,
            "base64": text == nil ? Sodium.base64(letter.payload) : nil, "offset": offset,
        ])
    }
}
