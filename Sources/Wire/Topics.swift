package import Batching
package import Domain

/// The meaning of a received message's topic (reference: connecting#rights).
package enum Topic: Sendable, Equatable {
    case report(DeviceID)
    case presence(DeviceID)
    case info(DeviceID)
    case register(ProductKey, MAC)
    case gatePresence(DeviceID)
    case request(AppID, TerminalID, service: String, method: String)
    case sessionInvalid
    case outboundResult
    case tokenUsed
    case sessionCut
    case missed
    case sessionOwed
    case workerState(String)
    /// The state of one of several processes that share a database.
    case processState(String)
    /// A message that wakes a lane, so that it checks the store.
    case wake(String)
    case trigger(String)
    case status(UserID, DeviceID)
    /// A command of a user's Home Assistant for a device.
    case linkCommand(SessionID, DeviceID)
    /// A topic that the service can't interpret; the string says why.
    case malformed(String)

    /// The device whose messages arrive on the topic, or nil if the topic has no device id.
    package var did: DeviceID? {
        switch self {
        case .report(let did), .presence(let did), .info(let did), .gatePresence(let did): did
        case .status(_, let did), .linkCommand(_, let did): did
        default: nil
        }
    }
}

/// All topics (`schemas/channels.yaml`) below one root.
package struct Topics: Sendable {
    /// The first levels of all topics, `ll/v1` unless configured otherwise.
    package let root: String
    private let prefix: [UInt8]

    /// Makes the topics below a root.
    package init(root: String = "ll/v1") {
        self.root = root
        prefix = Array(root.utf8) + [UInt8(ascii: "/")]
    }

    // MARK: Reading

    /// Returns the device whose messages arrive on a topic, or nil if the topic has no device id.
    package func device(of topic: String) -> DeviceID? { parse(ArraySlice(topic.utf8)).did }

    /// Returns the meaning of a topic.
    package func parse(_ topic: ArraySlice<UInt8>) -> Topic {
        guard topic.starts(with: prefix) else { return .malformed("the topic is not below the root") }
        let rest = Self.behindShard(topic.dropFirst(prefix.count))
        if let device = fastDevice(rest) { return device }
        let levels = Self.levels(of: rest)
        switch levels[0] {
        case "device": return device(levels)
        case "system": return system(levels)
        case "app": return request(levels)
        case "product": return register(levels)
        case "user": return status(levels)
        case "ha": return linkCommand(levels)
        default: return .malformed("the topic is unknown")
        }
    }

    private static func levels(of topic: ArraySlice<UInt8>) -> [String] {
        var levels: [String] = []
        levels.reserveCapacity(6)
        var rest = topic
        while let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
            levels.append(String(decoding: rest[..<slash], as: UTF8.self))
            rest = rest[(slash + 1)...]
        }
        levels.append(String(decoding: rest, as: UTF8.self))
        return levels
    }

    private static let shardLevel = Array("\(Shard.level)/".utf8)

    /// Returns the part of `rest` after the shard, or all of `rest` if it has no shard.
    private static func behindShard(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard rest.starts(with: shardLevel) else { return rest }
        let shard = rest.dropFirst(shardLevel.count)
        return shard.dropFirst(2).first == UInt8(ascii: "/") ? shard.dropFirst(3) : rest
    }

    private static let deviceLevel = Array("device/".utf8)
    private static let reportLevel = Array("/report".utf8)

    /// Parses a report's topic without splitting it, because nearly all messages are reports.
    private func fastDevice(_ rest: ArraySlice<UInt8>) -> Topic? {
        let did = rest.dropFirst(Self.deviceLevel.count).dropLast(Self.reportLevel.count)
        guard rest.starts(with: Self.deviceLevel), rest[did.endIndex...] == Self.reportLevel[...],
            let id = DeviceID(String(decoding: did, as: UTF8.self))
        else { return nil }
        return .report(id)
    }

    private func device(_ levels: [String]) -> Topic {
        guard levels.count == 3, let did = DeviceID(levels[1]) else { return .malformed("the topic has no valid did") }
        switch levels[2] {
        case "report": return .report(did)
        case "presence": return .presence(did)
        case "info": return .info(did)
        default: return .malformed("the topic is unknown")
        }
    }

    private static let plainSystem: [String: Topic] = [
        "session-invalid": .sessionInvalid, "token-used": .tokenUsed, "session-cut": .sessionCut, "missed": .missed,
        "session-owed": .sessionOwed,
    ]

    private func system(_ levels: [String]) -> Topic {
        if levels.count == 2, let topic = Self.plainSystem[levels[1]] { return topic }
        guard levels.count == 3 else { return .malformed("the topic is unknown") }
        switch levels[1] {
        case "outbound" where levels[2] == "result": return .outboundResult
        case "presence":
            return DeviceID(levels[2]).map { .gatePresence($0) } ?? .malformed("the topic has no valid did")
        case "worker", "mark": return .workerState(levels[2])
        case "process": return .processState(levels[2])
        case "wake": return .wake(levels[2])
        case "trigger": return .trigger(levels[2])
        default: return .malformed("the topic is unknown")
        }
    }

    private func request(_ levels: [String]) -> Topic {
        guard levels.count >= 4, levels[3] == "request", let app = AppID(levels[1]),
            let terminal = TerminalID(levels[2])
        else { return .malformed("the topic has no valid app and terminal id") }
        return .request(
            app,
            terminal,
            service: levels.count > 4 ? levels[4] : "",
            method: levels.count == 6 ? levels[5] : levels.dropFirst(5).joined(separator: "/")
        )
    }

    private func register(_ levels: [String]) -> Topic {
        guard levels.count == 4, levels[3] == "register", let key = ProductKey(levels[1]), let mac = MAC(levels[2])
        else { return .malformed("the topic has no valid product key and MAC") }
        return .register(key, mac)
    }

    private func status(_ levels: [String]) -> Topic {
        guard levels.count == 5, levels[2] == "device", levels[4] == "status", let uid = UserID(levels[1]),
            let did = DeviceID(levels[3])
        else { return .malformed("the topic is unknown") }
        return .status(uid, did)
    }

    private func linkCommand(_ levels: [String]) -> Topic {
        guard levels.count == 4, levels[3] == "set", let session = SessionID(levels[1]), let did = DeviceID(levels[2])
        else { return .malformed("the topic is unknown") }
        return .linkCommand(session, did)
    }

    // MARK: Writing

    /// Returns the topic of a device's commands.
    package func command(_ did: DeviceID) -> String { "\(root)/device/\(did.text)/command" }
    /// Returns the topic of answers to a device.
    package func response(_ did: DeviceID) -> String { "\(root)/device/\(did.text)/response" }
    /// Returns the topic on which a device without an identity receives its identity.
    package func registered(_ key: ProductKey, _ mac: MAC) -> String {
        "\(root)/product/\(key.text)/\(mac.text)/registered"
    }
    /// Returns a user's topic about a device; `leaf` is `status`, `event` or `binary`.
    package func user(_ uid: UserID, device did: DeviceID, _ leaf: StaticString) -> String {
        "\(root)/user/\(uid.text)/device/\(did.text)/\(leaf)"
    }
    /// Returns a user's topic; `leaf` is `device`, `session`, `share`, `schedule`, `notification` or `account`.
    package func user(_ uid: UserID, _ leaf: StaticString) -> String { "\(root)/user/\(uid.text)/\(leaf)" }
    /// Returns a link's topic about a device; `leaf` is `set` or `problem`.
    package func link(_ session: SessionID, _ did: DeviceID, leaf: StaticString) -> String {
        "\(root)/ha/\(session.text)/\(did.text)/\(leaf)"
    }
    /// Returns the topic on which a link's Home Assistant discovers a device.
    package static func discovery(_ session: SessionID, _ did: DeviceID) -> String {
        "homeassistant/device/\(session.text)/\(did.text)/config"
    }
    /// Returns a terminal's topic; `leaf` is `response`, `command`, `session`, `devices`, `code` or `system`.
    package func terminal(_ app: AppID, _ terminal: TerminalID, leaf: StaticString) -> String {
        "\(root)/app/\(app.text)/\(terminal.text)/\(leaf)"
    }
    /// Returns a topic of the back-end services below `system`, where `leaf` is, for example, `worker/status`.
    package func system(_ leaf: String) -> String { "\(root)/system/\(leaf)" }
    /// Returns the topic filters for the given shards, where `rest` is the topic's part below the root.
    ///
    /// If `shards` is nil, the work isn't divided, and topics have no shard level.
    package func filters(_ rest: String, of shards: Shards?) -> [String] {
        guard let shards else { return ["\(root)/\(rest)"] }
        guard !shards.areAll else { return ["\(root)/\(Shard.level)/+/\(rest)"] }
        return shards.members.map { "\(root)/\(Shard.level)/\(Shard.name($0))/\(rest)" }
    }
    /// Returns the topic on which the gate sends batches to a worker.
    package func batches(_ worker: String) -> String { system("batch/\(worker)") }
    /// The topic of commands to the gate.
    package static let gateControl = "$CONTROL/lamplighter/v1"
    /// The topic of batches of HTTP requests, which the gate checks and publishes.
    package static let gateRequest = "$CONTROL/lamplighter/request"
    /// The topic of batches whose messages the gate publishes.
    package static let gatePublish = "$CONTROL/lamplighter/publish"

    /// Returns whether a terminal may receive answers on a topic.
    ///
    /// The topic must be one of the terminal's own topics, but not a topic for requests. The topic must contain no
    /// wildcards.
    package func isAnswerable(_ topic: String, _ app: AppID, terminal: TerminalID) -> Bool {
        let space = "\(root)/app/\(app.text)/\(terminal.text)/"
        // Like the broker, this code compares bytes. `hasPrefix` would compare characters.
        guard topic.utf8.starts(with: space.utf8) else { return false }
        let rest = topic.utf8.dropFirst(space.utf8.count)
        return !rest.isEmpty && !rest.starts(with: "request/".utf8) && !rest.elementsEqual("request".utf8)
            && !rest.contains { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "+") }
    }

    /// Returns whether a string has the form of a service's or method's name: `[a-zA-Z]{1,32}`.
    package static func isMethodWord(_ text: some StringProtocol) -> Bool {
        (1...32).contains(text.utf8.count) && text.utf8.allSatisfy(\.isLetter)
    }

    /// Returns the text with which dead letters and logs show a topic.
    ///
    /// In a request's topic, `*` replaces an invalid name of a service or method.
    package static func shown(_ topic: ArraySlice<UInt8>) -> String {
        let text = String(decoding: topic, as: UTF8.self)
        var levels = text.utf8.split(
            separator: UInt8(ascii: "/"),
            omittingEmptySubsequences: false
        ).map { String(Substring($0)) }
        let request = levels.indices.first { index in
            index >= 3 && levels[index].utf8.elementsEqual("request".utf8)
                && levels[index - 3].utf8.elementsEqual("app".utf8)
        }
        guard let request, levels[(request + 1)...].contains(where: { !isMethodWord($0) }) else { return text }
        for index in levels.indices[(request + 1)...] where !isMethodWord(levels[index]) { levels[index] = "*" }
        // A known topic has at most two levels after `request`, so further levels are dropped.
        return levels.prefix(request + 3).joined(separator: "/")
    }
}
