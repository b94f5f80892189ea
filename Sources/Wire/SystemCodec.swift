package import Domain
import JSON

/// A codec for the messages among workers, the gate and back-end services (`schemas/messages/system.schema.json`).
package enum SystemCodec {
    /// Encodes the retained message about a worker's state.
    package static func workerState(isOnline: Bool, ts: Instant) -> [UInt8] {
        JSONObject([("online", .bool(isOnline)), ("ts", .integer(ts.milliseconds))]).encoded()
    }

    /// Parses a message about a worker's state, or returns nil if the message is malformed.
    package static func decode(workerState bytes: ArraySlice<UInt8>) -> (isOnline: Bool, ts: Instant)? {
        guard let object = try? Payload.object(bytes), let isOnline = object["online"]?.boolValue,
            let ts = object["ts"]?.intValue
        else { return nil }
        return (isOnline, Instant(milliseconds: ts))
    }

    /// Encodes whether a process is online, for the processes that share its database.
    package static func processState(isOnline: Bool) -> [UInt8] { JSONObject([("online", .bool(isOnline))]).encoded() }

    /// Parses whether a process is online, or returns nil if the payload is malformed.
    package static func decode(processState bytes: ArraySlice<UInt8>) -> Bool? {
        try? Payload.object(bytes)["online"]?.boolValue
    }

    /// Encodes an echo: a worker's message to itself, with which the worker measures its delay.
    ///
    /// `seen` is the number of an earlier echo that has come back. The worker has processed all messages that arrived
    /// before that echo. The gate uses `seen` to count the messages that the worker, or each lane, still has to
    /// process.
    package static func echo(_ number: Int64, seen: Int64, lanes: Int = 1) -> [UInt8] {
        JSONObject([
            ("number", .integer(number)), ("seen", .integer(seen)), ("lanes", lanes > 1 ? .integer(Int64(lanes)) : nil),
        ]).encoded()
    }

    /// Parses the number of an echo, or returns nil if the payload is malformed.
    package static func decode(echo bytes: ArraySlice<UInt8>) -> Int64? {
        try? Payload.object(bytes)["number"]?.intValue
    }

    /// Encodes the message to terminals about a service that has gone up or down.
    package static func service(_ name: String, isUp: Bool) -> [UInt8] {
        JSONObject([
            ("type", isUp ? "serviceUp" : "serviceDown"), ("service", .string(name)),
        ]).encoded()
    }

    /// Encodes the message that announces a dead letter.
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
        /// Makes the gate announce the presence of the devices of one lane.
        case announceLane(Int, of: Int)
        /// Makes the gate add shards to topics, because several processes share the work.
        case divide
        /// Makes the gate change credentials: each string is one hexadecimal record of the gate's file.
        ///
        /// A worker sends the changes to the gate before the answers to the requests that made the changes. When a
        /// client gets such an answer, the gate therefore knows the change, even if the gate's file is updated later.
        case learn([String])
    }

    /// Encodes commands to the gate as one message.
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
