package import Domain
import JSON

/// Writes back-end messages (PROTOCOL 5.3, 6 and 7).
package enum SystemCodec {
    /// A worker's retained state.
    package static func workerState(isOnline: Bool, ts: Instant) -> [UInt8] {
        JSONObject([("online", .bool(isOnline)), ("ts", .integer(ts.milliseconds))]).encoded()
    }

    /// Reads a worker's state; nil when it is none.
    package static func decode(
        workerState bytes: ArraySlice<UInt8>
    ) -> (isOnline: Bool, ts: Instant)? {
        guard let object = try? Payload.object(bytes), let isOnline = object["online"]?.boolValue,
            let ts = object["ts"]?.intValue
        else { return nil }
        return (isOnline, Instant(milliseconds: ts))
    }

    /// A worker's echo to itself, by which it sees how late it is; `seen` is the newest one that came back
    /// and before which it has done everything, by which the gate sees how much it has yet to do.
    package static func echo(_ number: Int64, seen: Int64) -> [UInt8] {
        JSONObject([("number", .integer(number)), ("seen", .integer(seen))]).encoded()
    }

    /// Reads the number of an echo; nil when it is none.
    package static func decode(echo bytes: ArraySlice<UInt8>) -> Int64? {
        try? Payload.object(bytes)["number"]?.intValue
    }

    /// Word to terminals that a worker came or went (PROTOCOL 5.3).
    package static func service(_ name: String, isUp: Bool) -> [UInt8] {
        JSONObject([
            ("type", isUp ? "serviceUp" : "serviceDown"), ("service", .string(name)),
        ]).encoded()
    }

    /// Word of a message that was put aside.
    package static func deadLetter(
        id: Int64,
        topic: String,
        reason: String,
        worker: String,
        ts: Instant
    ) -> [UInt8] {
        JSONObject([
            ("id", .integer(id)), ("topic", .string(topic)), ("reason", .string(reason)),
            ("worker", .string(worker)), ("ts", .integer(ts.milliseconds)),
        ]).encoded()
    }

    /// What the gate is told to do.
    package enum GateCommand: Sendable, Equatable {
        case revokeSession(SessionID, TerminalID)
        case kickDevice(DeviceID)
        case announcePresence
    }

    /// Commands for the gate, in one message.
    package static func gate(_ commands: [GateCommand]) -> [UInt8] {
        JSONObject([("commands", .array(commands.map(encode)))]).encoded()
    }

    private static func encode(_ command: GateCommand) -> JSONValue {
        switch command {
        case .revokeSession(let session, let terminal):
            [
                "command": "revokeSession", "sessionId": .string(session.text),
                "terminalId": .string(terminal.text),
            ]
        case .kickDevice(let did): ["command": "kickDevice", "did": .string(did.text)]
        case .announcePresence: ["command": "announcePresence"]
        }
    }
}
