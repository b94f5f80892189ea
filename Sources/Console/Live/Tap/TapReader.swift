import Batching
import Domain
import JSON
import Wire

/// A reader that turns the broker's messages into lines of the tap.
struct TapReader: Sendable {
    /// The result of reading a message.
    enum Reading {
        case line(TapLine)
        /// The gate's report of the number of messages that it has left out.
        case left(Int64)
        /// An internal message between parts of the service; it isn't shown.
        case nothing
    }

    let topics: Topics
    var mask = SecretMask()

    /// The payload size, in bytes, above which the content isn't read and only the size is shown.
    static let readMax = 16_384
    /// The topic levels of the service's internal messages, which aren't shown.
    private static let silent: Set<String> = ["echo", "mark", "wake", "process", "batch"]
    private static let fromGate: Set<String> = [
        "presence", "token-used", "session-cut", "missed", "session-owed", "trigger", "session-invalid",
    ]
    private static let services: Set<String> = [
        "account", "app", "device", "events", "home", "schedule", "session", "share",
    ]

    /// Reads a message from the broker.
    func read(topic: ArraySlice<UInt8>, payload: ArraySlice<UInt8>, at now: Instant) -> Reading {
        let whole = Topics.shown(topic)
        guard whole.utf8.starts(with: topics.root.utf8) else { return .nothing }
        var levels = whole.utf8.dropFirst(topics.root.utf8.count + 1)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
        if levels.first == Shard.level { levels.removeFirst(min(2, levels.count)) }
        guard let kind = levels.first else { return .nothing }
        if kind == "system", levels.count > 1 {
            if Self.silent.contains(levels[1]) { return .nothing }
            if levels[1] == "tap" { return .left((try? Payload.object(payload))?["left"]?.intValue ?? 0) }
            if levels[1] == "refusal" { return refusal(payload, at: now) }
            if levels[1] == "dead-letter" { return deadLetter(payload, at: now) }
        }
        var line = TapLine(
            at: now,
            topic: ([topics.root] + levels).joined(separator: "/"),
            branch: Self.branch(levels),
            isIn: Self.isIn(levels),
            bytes: payload.count,
            payload: payload.count > Self.readMax ? nil : mask.shown(payload, on: levels)
        )
        line.did = Self.did(levels).flatMap { DeviceID($0) }
        if line.isIn { line.talker = Self.talker(levels) }
        return .line(line)
    }

    // MARK: Topics

    private static func isIn(_ levels: [String]) -> Bool {
        switch levels[0] {
        case "device": levels.count == 3 && ["report", "info", "presence"].contains(levels[2])
        case "app": levels.count > 3 && levels[3] == "request"
        case "product": levels.last == "register"
        case "system": levels.count > 1 && (fromGate.contains(levels[1]) || levels.last == "result")
        default: false
        }
    }

    private static func branch(_ levels: [String]) -> String {
        let parts: [String] =
            switch levels[0] {
            case "device", "user": levels.enumerated().map { $0 % 2 == 1 && $0 < levels.count - 1 ? "+" : $1 }
            case "app" where levels.count > 4 && levels[3] == "request":
                ["app/+/+/request", services.contains(levels[4]) ? levels[4] : "+"]
            case "app", "product": levels.enumerated().map { (1...2).contains($0) ? "+" : $1 }
            case "system": Array(levels.prefix(2)) + levels.dropFirst(2).map { levels[1] == "outbound" ? $0 : "+" }
            default: [levels[0]]
            }
        return parts.joined(separator: "/")
    }

    private static func did(_ levels: [String]) -> String? {
        switch (levels[0], levels.count) {
        case ("device", 2...): levels[1]
        case ("user", 4...) where levels[2] == "device": levels[3]
        case ("system", 3...) where levels[1] == "presence": levels[2]
        default: nil
        }
    }

    private static func talker(_ levels: [String]) -> String? {
        switch (levels[0], levels.count) {
        case ("device", 2...): "device:\(levels[1])"
        case ("app", 3...): "terminal:\(levels[2])"
        case ("product", 3...): "product:\(levels[1])"
        default: nil
        }
    }

    // MARK: Messages not accepted

    private func refusal(_ payload: ArraySlice<UInt8>, at now: Instant) -> Reading {
        guard let body = try? Payload.object(payload) else { return .nothing }
        let action = body["action"]?.stringValue ?? "connect"
        let username = body["username"]?.stringValue ?? ""
        let topic = Topics.shown(ArraySlice((body["topic"]?.stringValue ?? "").utf8))
        var line = TapLine(
            at: now,
            topic: topic.isEmpty ? "\(action) \(username)" : topic,
            branch: action == "connect" ? "connect" : "refused",
            isIn: action != "receive",
            bytes: 0
        )
        let shown = ["username", "clientId", "address", "action", "detail"]
        line.payload = .object(JSONObject(shown.map { ($0, body[$0]) }))
        (line.outcome, line.reason) = (.refused, body["reason"]?.stringValue)
        line.did = ClientRefusal.device(named: username)
        return .line(line)
    }

    private func deadLetter(_ payload: ArraySlice<UInt8>, at now: Instant) -> Reading {
        guard let body = try? Payload.object(payload) else { return .nothing }
        let topic = Topics.shown(ArraySlice((body["topic"]?.stringValue ?? "").utf8))
        var line = TapLine(at: now, topic: topic, branch: "dead", isIn: true, bytes: 0)
        (line.outcome, line.reason) = (.dead, body["reason"]?.stringValue)
        line.payload = .object(["id": body["id"], "worker": body["worker"]])
        line.did = topics.device(of: topic)
        return .line(line)
    }
}
