package import Domain

/// What an incoming topic stands for.
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
    case workerState(String)
    case trigger(String)
    case status(UserID, DeviceID)
    /// Below a known branch, but no topic of the contract; the text says why.
    case malformed(String)
}

/// Every topic of the contract, read and written below one root.
package struct Topics: Sendable {
    /// The first levels of all topics, `ll/v1` unless configured otherwise.
    package let root: String
    private let prefix: [UInt8]

    /// Puts all topics below a root.
    package init(root: String = "ll/v1") {
        self.root = root
        prefix = Array(root.utf8) + [UInt8(ascii: "/")]
    }

    // MARK: Reading

    /// Tells what a topic stands for.
    package func parse(_ topic: ArraySlice<UInt8>) -> Topic {
        guard topic.starts(with: prefix) else { return .malformed("the topic is not ours") }
        if let device = fastDevice(topic.dropFirst(prefix.count)) { return device }
        let levels = topic.dropFirst(prefix.count)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        switch levels[0] {
        case "device": return device(levels)
        case "system": return system(levels)
        case "app": return request(levels)
        case "product": return register(levels)
        case "user": return status(levels)
        default: return .malformed("the topic is not of the contract")
        }
    }

    private static let deviceLevel = Array("device/".utf8)
    private static let reportLevel = Array("/report".utf8)

    /// Reads a report's topic without taking it apart: nearly all that comes are reports.
    private func fastDevice(_ rest: ArraySlice<UInt8>) -> Topic? {
        let did = rest.dropFirst(Self.deviceLevel.count).dropLast(Self.reportLevel.count)
        guard rest.starts(with: Self.deviceLevel), rest[did.endIndex...] == Self.reportLevel[...],
            let id = DeviceID(String(decoding: did, as: UTF8.self))
        else { return nil }
        return .report(id)
    }

    private func device(_ levels: [String]) -> Topic {
        guard levels.count == 3, let did = DeviceID(levels[1]) else {
            return .malformed("the topic names no device")
        }
        switch levels[2] {
        case "report": return .report(did)
        case "presence": return .presence(did)
        case "info": return .info(did)
        default: return .malformed("the topic is not of the contract")
        }
    }

    private func system(_ levels: [String]) -> Topic {
        if levels.count == 2, levels[1] == "session-invalid" { return .sessionInvalid }
        if levels.count == 2, levels[1] == "token-used" { return .tokenUsed }
        guard levels.count == 3 else { return .malformed("the topic is not of the contract") }
        switch levels[1] {
        case "outbound" where levels[2] == "result": return .outboundResult
        case "presence":
            return DeviceID(levels[2]).map { .gatePresence($0) }
                ?? .malformed("the topic names no device")
        case "worker": return .workerState(levels[2])
        case "trigger": return .trigger(levels[2])
        default: return .malformed("the topic is not of the contract")
        }
    }

    private func request(_ levels: [String]) -> Topic {
        guard levels.count >= 4, levels[3] == "request", let app = AppID(levels[1]),
            let terminal = TerminalID(levels[2])
        else { return .malformed("the topic names no terminal") }
        return .request(
            app,
            terminal,
            service: levels.count > 4 ? levels[4] : "",
            method: levels.dropFirst(5).joined(separator: "/")
        )
    }

    private func register(_ levels: [String]) -> Topic {
        guard levels.count == 4, levels[3] == "register", let key = ProductKey(levels[1]),
            let mac = MAC(levels[2])
        else { return .malformed("the topic names no product and MAC") }
        return .register(key, mac)
    }

    private func status(_ levels: [String]) -> Topic {
        guard levels.count == 5, levels[2] == "device", levels[4] == "status",
            let uid = UserID(levels[1]), let did = DeviceID(levels[3])
        else { return .malformed("the topic is not of the contract") }
        return .status(uid, did)
    }

    // MARK: Writing

    /// Where a device hears commands.
    package func command(_ did: DeviceID) -> String { "\(root)/device/\(did.text)/command" }
    /// Where a device hears answers.
    package func response(_ did: DeviceID) -> String { "\(root)/device/\(did.text)/response" }
    /// Where a device without identity hears of the one it got.
    package func registered(_ key: ProductKey, _ mac: MAC) -> String {
        "\(root)/product/\(key.text)/\(mac.text)/registered"
    }
    /// Where a user hears of a device; `leaf` is `status, event` or `binary`.
    package func user(_ uid: UserID, device did: DeviceID, _ leaf: StaticString) -> String {
        "\(root)/user/\(uid.text)/device/\(did.text)/\(leaf)"
    }
    /// Where a user hears of everything else; `leaf` is `device, session, share` or `schedule`.
    package func user(_ uid: UserID, _ leaf: StaticString) -> String {
        "\(root)/user/\(uid.text)/\(leaf)"
    }
    /// Where a terminal hears; `leaf` is `response, command, session, devices, code` or `system`.
    package func terminal(_ app: AppID, _ terminal: TerminalID, _ leaf: StaticString) -> String {
        "\(root)/app/\(app.text)/\(terminal.text)/\(leaf)"
    }
    /// Where back-end parties hear; `leaf` such as `session-invalid` or `worker/status`.
    package func system(_ leaf: String) -> String { "\(root)/system/\(leaf)" }
    /// Where a worker gets messages, many in one, from the gate.
    package func batches(_ worker: String) -> String { system("batch/\(worker)") }
    /// Where the gate takes its commands.
    package static let gateControl = "$CONTROL/lamplighter/v1"
    /// Where the gate takes messages, many in one, that it is to publish.
    package static let gatePublish = "$CONTROL/lamplighter/publish"

    /// Tells whether a terminal may have its answer on a topic (PROTOCOL 3): in its own space,
    /// outside `request/`, without wildcards.
    package func isAnswerable(_ topic: String, _ app: AppID, _ terminal: TerminalID) -> Bool {
        let space = "\(root)/app/\(app.text)/\(terminal.text)/"
        // Bytes: `hasPrefix` sees characters, and the broker does not.
        guard topic.utf8.starts(with: space.utf8) else { return false }
        let rest = topic.utf8.dropFirst(space.utf8.count)
        return !rest.isEmpty && !rest.starts(with: "request/".utf8)
            && !rest.elementsEqual("request".utf8)
            && !rest.contains { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "+") }
    }

    /// Tells whether a text reads like the name of a service or method: `[a-zA-Z]{1,32}`.
    package static func isMethodWord(_ text: some StringProtocol) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            }
    }

    /// A topic as dead letters and logs may show it: what an app's request names as service and method is
    /// shown only where it reads like one, and otherwise as `*`.
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
        guard let request, levels[(request + 1)...].contains(where: { !isMethodWord($0) }) else {
            return text
        }
        for index in levels.indices[(request + 1)...] where !isMethodWord(levels[index]) {
            levels[index] = "*"
        }
        // However many levels it has: no contract's has more than two here.
        return levels.prefix(request + 3).joined(separator: "/")
    }
}
