package import Domain
import JSON

/// A codec for the messages that workers, the gate and other back-end services exchange
/// (`schemas/messages/system.schema.json`).
package enum SystemCodec {
    /// Writes a worker's retained state.
    package static func workerState(isOnline: Bool, ts: Instant) -> [UInt8] {
        JSONObject([("online", .bool(isOnline)), ("ts", .integer(ts.milliseconds))]).encoded()
    }

    /// Reads a worker's state; nil if the payload is malformed.
    package static func decode(workerState bytes: ArraySlice<UInt8>) -> (isOnline: Bool, ts: Instant)? {
        guard let object = try? Payload.object(bytes), let isOnline = object["online"]?.boolValue,
            let ts = object["ts"]?.intValue
        else { return nil }
        return (isOnline, Instant(milliseconds: ts))
    }

    /// Writes the state of one process of several: whether it is online.
    package static func processState(isOnline: Bool) -> [UInt8] { JSONObject([("online", .bool(isOnline))]).encoded() }

    /// Reads whether a process is online; nil if the payload is malformed.
    package static func decode(processState bytes: ArraySlice<UInt8>) -> Bool? {
        try? Payload.object(bytes)["online"]?.boolValue
    }

    /// Writes a worker's echo to itself, with which it measures its delay.
    ///
    /// `seen` is the newest echo received after all messages before it were processed. With it the gate counts the
    /// remaining messages, for each lane if the worker has several.
    package static func echo(_ number: Int64, seen: Int64, lanes: Int = 1) -> [UInt8] {
        JSONObject([
            ("number", .integer(number)), ("seen", .integer(seen)), ("lanes", lanes > 1 ? .integer(Int64(lanes)) : nil),
        ]).encoded()
    }

    /// Reads the number of an echo; nil if the payload is malformed.
    package static func decode(echo bytes: ArraySlice<UInt8>) -> Int64? {
        try? Payload.object(bytes)["number"]?.intValue
    }

    /// Writes the message to terminals about a service that went up or down.
    package static func service(_ name: String, isUp: Bool) -> [UInt8] {
        JSONObject([
            ("type", isUp ? "serviceUp" : "serviceDown"), ("service", .string(name)),
        ]).encoded()
    }

    /// Writes the notice of a dead letter.
    package static func deadLetter(id: Int64, topic: String, reason: String, worker: String, ts: Instant) -> [UInt8] {
        JSONObject([
            ("id", .integer(id)), ("topic", .string(topic)), ("reason", .string(reason)), ("worker", .string(worker)),
            ("ts", .integer(ts.milliseconds)),
        ]).encoded()
    }

    /// A command to the gate.
    package enum GateCommand: Sendable, Equatable {
        case revokeSession(SessionID, TerminalID)
        case kickDevice(DeviceID)
        case announcePresence
        /// Announces the presence of the devices of a lane, given the number of lanes.
        case announceLane(Int, of: Int)
        /// Puts the shard in front of topics, since workers share the work.
        case divide
        /// Changes of credentials, each a record of the gate's file as hexadecimal digits.
        ///
        /// They precede the answers that depend on them: a remote file gets them later.
        case learn([String])
    }

    /// Writes commands for the gate as one message.
    package static func gate(_ commands: [GateCommand]) -> [UInt8] {
        JSONObject([("commands", .array(commands.map(encode)))]).encoded()
    }

    private static func encode(_ command: GateCommand) -> JSONValue {
        switch command {
        case .revokeSession(let session, let terminal):
            ["command": "revokeSession", "sessionId": .string(session.text), "terminalId": .string(terminal.text)]
        case .kickDevice(let did): ["command": "kickDevice", "did": .string(did.text)]
        case .announcePresence: ["command": "announcePresence"]
        case .announceLane(let lane, let lanes):
            ["command": "announcePresence", "lane": .integer(Int64(lane)), "lanes": .integer(Int64(lanes))]
        case .divide: ["command": "divide"]
        case .learn(let records): ["command": "learn", "records": .array(records.map { .string($0) })]
        }
    }
}
