import Domain
import JSON
import Wire

/// The envelope of an HTTP request: the payload that the same request would have over MQTT.
struct RequestEnvelope: Equatable {
    /// The payload.
    var payload: [UInt8]
    /// The token from the header or the body, or nil if neither contains a token.
    var token: String?

    /// Parses a body, and adds the header's token and an id if they are missing.
    ///
    /// An empty body counts as `{}`.
    ///
    /// The payload contains the bytes of every other body unchanged, so the worker reads the client's own bytes.
    /// - Throws: `Rejection` if the body isn't a JSON object, or if its token differs from the header's token.
    init(_ body: [UInt8], credentials: RequestCredentials?, newID: @autoclosure () -> String) throws(Rejection) {
        let body = body.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } ? Array("{}".utf8) : body
        let object: JSONObject
        do {
            object = try Payload.object(body[...])
        } catch {
            throw error.rejection
        }
        token = object["token"]?.stringValue
        var added: [String] = []
        if object["id"] == nil { added.append("\"id\":\"\(newID())\"") }
        if case .bearer(let bearer) = credentials {
            guard let own = object["token"], own != .null else {
                if object["token"] == nil { added.append("\"token\":\"\(bearer)\"") }
                token = bearer
                payload = Self.splice(added, into: body, isEmpty: object.members.isEmpty)
                return
            }
            guard own == .string(bearer) else {
                throw Rejection.invalid("token", "The token in the body differs from the token in the header.")
            }
        }
        payload = Self.splice(added, into: body, isEmpty: object.members.isEmpty)
    }

    private static func splice(_ members: [String], into body: [UInt8], isEmpty: Bool) -> [UInt8] {
        guard !members.isEmpty, let start = body.firstIndex(of: UInt8(ascii: "{")) else { return body }
        let text = members.joined(separator: ",") + (isEmpty ? "" : ",")
        return body[...start] + Array(text.utf8) + body[(start + 1)...]
    }
}
