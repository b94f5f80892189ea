package import Domain
import JSON

/// A parser of presence messages from devices and from the gate.
package enum PresenceCodec {
    /// Parses a birth message or a last will.
    package static func decode(device bytes: ArraySlice<UInt8>) throws(WireError) -> PresenceSignal {
        try Payload.read(Payload.object(bytes)) { (fields) throws(Rejection) in
            let isOnline = try fields.requiredBool("online")
            let session = try fields.text("session", length: 1...64)
            return isOnline ? .birth(session: session) : .will(session: session)
        }
    }

    /// Parses a presence message of the gate.
    package static func decode(gate bytes: ArraySlice<UInt8>) throws(WireError) -> PresenceSignal {
        try Payload.read(Payload.object(bytes)) { (fields) throws(Rejection) in
            let isOnline = try fields.requiredBool("online")
            let number = try fields.integer("connection", in: 0...JSONValue.integerMax)
            let connection = try fields.required("connection", number)
            let reason = try fields.text("reason", length: 1...64) ?? "lost"
            if isOnline {
                return try fields.bool("listening") == true
                    ? .listening(connection: connection) : .connected(connection: connection)
            }
            return .disconnected(connection: connection, reason: reason)
        }
    }
}
