import Credentials
import TestKit
import Testing

@testable import Gate

/// A second implementation of clients' rights, which is slow and simple, and shares no code with the gate.
private struct Reference {
    var principal: Principal
    var hasSession: Bool

    func mayPublish(_ topic: String, retained: Bool) -> Bool {
        if topic.isEmpty || topic.contains("+") || topic.contains("#") || topic.contains("\0") { return false }
        if retained, !isWorker { return false }
        return writable.contains { Self.passes(topic, $0) }
    }

    func mayReceive(_ topic: String) -> Bool {
        if case .terminal(let terminalId, let appId) = principal,
            Self.passes(topic, "ll/v1/app/\(appId)/\(terminalId)/request/#")
        {
            return false
        }
        return readable.contains { Self.passes(topic, $0) }
    }

    /// Returns whether a single right covers all sample topics of the filter.
    func maySubscribe(_ filter: String) -> Bool {
        var filter = filter
        if filter == "$share" || filter.hasPrefix("$share/") {
            let parts = filter.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
            guard isService, parts.count == 3, !parts[1].isEmpty, parts[1] != "+", parts[1] != "#",
                !parts[1].contains("+"), !parts[1].contains("#")
            else { return false }
            filter = String(parts[2])
        }
        guard Self.isFilter(filter) else { return false }
        let samples = Self.samples(of: filter)
        return readable.contains { granted in samples.allSatisfy { Self.passes($0, granted) } }
    }

    private var isWorker: Bool { principal == .service(name: "tools") || principal == .service(name: "lamplighter") }

    private var isService: Bool {
        if case .service = principal { true } else { false }
    }

    private var writable: [String] {
        switch principal {
        case .product(let key, let mac): ["ll/v1/product/\(key)/\(mac)/register"]
        case .device(let did): ["report", "info", "presence"].map { "ll/v1/device/\(did)/\($0)" }
        case .terminal(let id, let appId): ["ll/v1/app/\(appId)/\(id)/request/#"]
        // `LinkTests` covers the rights of links.
        case .link: []
        case .service("sms"): ["ll/v1/system/outbound/result"]
        case .service("clock"): ["ll/v1/system/trigger/+"]
        case .service("login"): ["ll/v1/system/session-invalid"]
        case .service("own"): ["ll/v1/+/x/#"]
        case .service: ["ll/v1/#", "homeassistant/#", "$SYS/#", "$CONTROL/lamplighter/#"]
        }
    }

    private var readable: [String] {
        switch principal {
        case .product(let key, let mac): ["ll/v1/product/\(key)/\(mac)/registered"]
        case .device(let did): ["command", "response"].map { "ll/v1/device/\(did)/\($0)" }
        case .terminal(let id, let appId):
            ["ll/v1/app/\(appId)/\(id)/#"] + (hasSession ? ["ll/v1/user/\(World.uid)/#"] : [])
        case .link: []
        case .service("sms"): ["ll/v1/system/outbound/#"]
        case .service("clock"), .service("login"): []
        case .service("own"): ["+/v1/device/#", "#"]
        case .service: ["ll/v1/#", "homeassistant/#", "$SYS/#", "$CONTROL/lamplighter/#"]
        }
    }

    private static func levels(_ text: String) -> [Substring] {
        text.split(separator: "/", omittingEmptySubsequences: false)
    }

    private static func isFilter(_ filter: String) -> Bool {
        let levels = levels(filter)
        return !filter.isEmpty && !filter.contains("\0")
            && levels.enumerated().allSatisfy { index, level in
                if level == "+" { return true }
                if level == "#" { return index == levels.count - 1 }
                return !level.contains("+") && !level.contains("#")
            }
    }

    private static func passes(_ topic: String, _ filter: String) -> Bool {
        if topic.hasPrefix("$"), filter.hasPrefix("+") || filter.hasPrefix("#") { return false }
        return passes(levels(topic)[...], levels(filter)[...])
    }

    private static func passes(_ topic: ArraySlice<Substring>, _ filter: ArraySlice<Substring>) -> Bool {
        guard let wanted = filter.first else { return topic.isEmpty }
        if wanted == "#" { return true }
        guard let level = topic.first, wanted == "+" || same(wanted, level) else { return false }
        return passes(topic.dropFirst(), filter.dropFirst())
    }

    /// Compares bytes, because Swift, unlike MQTT, treats two encodings of é as equal.
    private static func same(_ left: Substring, _ right: Substring) -> Bool { left.utf8.elementsEqual(right.utf8) }

    private static func samples(of filter: String) -> [String] {
        let plain = levels(filter).map { $0 == "+" ? "?" : String($0) }
        guard plain.last == "#" else { return [plain.joined(separator: "/")] }
        let parent = plain.dropLast()
        let deeper = [["?"], ["?", ""], ["?", "?", "?"]].map { Array(parent) + $0 }
        return (parent.isEmpty ? deeper : [Array(parent)] + deeper).map { $0.joined(separator: "/") }
    }
}

@Suite("The gate compared with its model")
struct ModelTests {
    private static let principals: [Principal] = [
        .product(key: World.key, mac: World.mac), .device(did: World.did),
        .terminal(terminalId: World.terminal, appId: "demo"), .service(name: "sms"), .service(name: "clock"),
        .service(name: "login"), .service(name: "own"), .service(name: "tools"), .service(name: "lamplighter"),
    ]

    /// The beginnings of random topics, many of which almost match a client's right.
    private static let starts = [
        "ll/v1/product/\(World.key)/\(World.mac)", "ll/v1/device/\(World.did)", "ll/v1/app/demo/\(World.terminal)",
        "ll/v1/user/\(World.uid)", "ll/v1/system/outbound", "ll/v1/system/trigger", "ll/v1/system/session-invalid",
        "ll/v1", "ll", "$SYS", "$CONTROL", "$CONTROL/lamplighter", "", "ll/v1/x/x",
    ]

    private static let levels = [
        "register", "registered", "report", "info", "presence", "command", "response", "request", "account", "login",
        "sms", "result", "v1", "x", "+", "#", "", "é", "e\u{301}", "💡", "$SYS", "$share", "a+", "#a", " ", "\u{FEFF}",
        World.did, World.otherDid, "ll", "device", "..",
    ]

    @Test("The gate agrees with the model on a hundred thousand random questions", arguments: 0..<4) func random(
        seed: Int
    ) {
        var random = Seed(seed)
        let worlds = [nil, World.session(), World.session(until: World.now)].map { session in
            Self.principals.map { World.rights($0, session: session) }
        }
        var allowed = 0
        for _ in 0..<27_000 {
            let world = random.below(3)
            let index = random.below(Self.principals.count)
            let reference = Reference(principal: Self.principals[index], hasSession: world == 1)
            let topic = Self.topic(&random)

            let found = Self.answers(worlds[world][index], topic)
            let expected = [
                reference.mayPublish(topic, retained: false),
                reference.mayPublish(topic, retained: true),
                reference.maySubscribe(topic), reference.mayReceive(topic),
            ]
            if found.contains(true) { allowed += 1 }
            if found != expected { Issue.record("\(reference.principal) session \(world) \(topic): \(found)") }
        }
        // If the rules denied almost all random requests, the comparison would prove little.
        #expect(allowed > 2_000)
    }

    private static func answers(_ rights: Rights, _ topic: String) -> [Bool] {
        [
            rights.mayPublish(topic), rights.mayPublish(topic, retained: true), rights.maySubscribe(topic),
            rights.mayReceive(topic),
        ]
    }

    private static func topic(_ random: inout Seed) -> String {
        var parts = starts[random.below(starts.count)].split(separator: "/", omittingEmptySubsequences: false).map(
            String.init
        )
        for _ in 0..<random.below(4) { parts.append(levels[random.below(levels.count)]) }
        if random.below(4) == 0, !parts.isEmpty {
            parts[random.below(parts.count)] = levels[random.below(levels.count)]
        }
        let topic = parts.joined(separator: "/")
        switch random.below(12) {
        case 0: return "$share/g/\(topic)"
        case 1: return ["$share", "$share/", "$share/g", "$share//x"][random.below(4)]
        default: return topic
        }
    }
}
