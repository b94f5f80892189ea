import Domain
import TestKit
import Testing
import Wire

@Suite("Topics")
struct TopicsTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var topic: String
        var wanted: Topic
        init(_ topic: String, _ wanted: Topic) {
            self.topic = topic
            self.wanted = wanted
        }
        var testDescription: String { topic }
    }

    private static let hex = String(repeating: "a", count: 32)
    private static let terminal = String(repeating: "f", count: 32)

    static let good: [Case] = [
        Case("ll/v1/device/d-1/report", .report(DeviceID(trusted: "d-1"))),
        Case("ll/v1/device/d-1/presence", .presence(DeviceID(trusted: "d-1"))),
        Case("ll/v1/device/d-1/info", .info(DeviceID(trusted: "d-1"))),
        Case("ll/v1/product/\(hex)/0123456789ab/register", .register(Make.key, Make.mac)),
        Case("ll/v1/system/presence/d-1", .gatePresence(DeviceID(trusted: "d-1"))),
        Case("ll/v1/system/session-invalid", .sessionInvalid),
        Case("ll/v1/system/missed", .missed),
        Case("ll/v1/system/session-owed", .sessionOwed),
        Case("ll/v1/system/worker/status", .workerState("status")),
        Case("ll/v1/system/trigger/s-1", .trigger("s-1")),
        Case("ll/v1/user/u-1/device/d-1/status", .status(UserID(trusted: "u-1"), DeviceID(trusted: "d-1"))),
        Case("ll/v1/ha/l-1/d-1/set", .linkCommand(SessionID(trusted: "l-1"), DeviceID(trusted: "d-1"))),
        Case(
            "ll/v1/app/demo/\(terminal)/request/device/bind",
            .request(Make.app, Make.terminal, service: "device", method: "bind")
        ), Case("ll/v1/app/demo/\(terminal)/request", .request(Make.app, Make.terminal, service: "", method: "")),
        Case("ll/v1/app/demo/\(terminal)/request/", .request(Make.app, Make.terminal, service: "", method: "")),
        Case(
            "ll/v1/app/demo/\(terminal)/request/device",
            .request(Make.app, Make.terminal, service: "device", method: "")
        ),
        Case(
            "ll/v1/app/demo/\(terminal)/request/device/a/b",
            .request(Make.app, Make.terminal, service: "device", method: "a/b")
        ),
    ]

    @Test("A topic of the schemas is parsed", arguments: good)
    func reads(_ row: Case) {
        #expect(Make.topics.parse(Make.bytes(row.topic)) == row.wanted)
    }

    static let bad = [
        "", "/", "ll", "ll/", "ll/v1", "ll/v1/", "ll/v1//", "/ll/v1/device/d-1/report",
        "ll/v2/device/d-1/report",
        "ll/v1x/device/d-1/report", "LL/v1/device/d-1/report", "ll/v1/device", "ll/v1/device/",
        "ll/v1/device//report",
        "ll/v1//device/d-1/report", "ll/v1/device/d-1", "ll/v1/device/d-1/",
        "ll/v1/device/d-1/report/",
        "ll/v1/device/d-1/report/x", "ll/v1/device/d-1/command", "ll/v1/device/d 1/report",
        "ll/v1/device/d\0/report", "ll/v1/device/\(String(repeating: "d", count: 65))/report",
        "ll/v1/device/é/report", "ll/v1/device/+/report", "ll/v1/device/#", "ll/v1/system",
        "ll/v1/system/",
        "ll/v1/system/presence", "ll/v1/system/presence/", "ll/v1/system/presence/a b",
        "ll/v1/system/outbound/sms",
        "ll/v1/system/session-invalid/x", "ll/v1/product/\(hex)/0123456789ab/registered",
        "ll/v1/product/\(hex)/0123456789AB/register", "ll/v1/product/abc/0123456789ab/register",
        "ll/v1/product/\(hex)//register", "ll/v1/app/demo/abc/request/device/bind",
        "ll/v1/app//\(terminal)/request/device/bind", "ll/v1/app/demo/\(terminal)/response",
        "ll/v1/user/u-1/device/d-1/event", "ll/v1/user//device/d-1/status",
        "ll/v1/user/u-1/device//status",
        "$SYS/broker", "$CONTROL/lamplighter/v1", "ll/v1/ha/l-1/d-1/problem", "ll/v1/ha/l-1/set", "ll/v1/ha//d-1/set",
        "homeassistant/status",
    ]

    @Test("Any other topic is malformed", arguments: bad)
    func malformed(_ topic: String) {
        guard case .malformed(let reason) = Make.topics.parse(Make.bytes(topic)) else {
            Issue.record("taken as \(Make.topics.parse(Make.bytes(topic)))")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test(
        "Invalid UTF-8 is malformed",
        arguments: [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0x80]] as [[UInt8]]
    )
    func oddBytes(_ bytes: [UInt8]) {
        let topic = Array("ll/v1/device/".utf8) + bytes + Array("/report".utf8)
        guard case .malformed = Make.topics.parse(topic[...]) else {
            Issue.record("taken")
            return
        }
    }

    @Test("Random topics cause no trap", arguments: 0..<20)
    func random(_ seed: Int) {
        var random = Seed(seed)
        let levels = [
            "ll", "v1", "device", "app", "user", "system", "product", "", "request", "x", "\u{0}", "é", "status",
        ]
        for _ in 0..<1000 {
            let picked = (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in
                levels.randomElement(using: &random)
            }
            _ = Make.topics.parse(Make.bytes("ll/v1/" + picked.joined(separator: "/")))
        }
    }

    @Test("Written topics are read back under a configured root")
    func roundTrip() {
        let topics = Topics(root: "my/own/root")
        #expect(topics.response(Make.did) == "my/own/root/device/d-0000000000001/response")
        #expect(topics.command(Make.did) == "my/own/root/device/d-0000000000001/command")
        #expect(
            topics.parse(Make.bytes(topics.user(Make.uid, device: Make.did, "status"))) == .status(Make.uid, Make.did)
        )
        #expect(topics.parse(Make.bytes(topics.system("session-invalid"))) == .sessionInvalid)
        #expect(topics.registered(Make.key, Make.mac).hasSuffix("/0123456789ab/registered"))
    }

    @Test(
        "An answer goes only to the terminal's own topics",
        arguments: [
            ("response", true), ("a/b/c", true), ("requests", true), ("", false),
            ("request", false),
            ("request/", false), ("request/x", false), ("a/#", false), ("+/b", false), ("#", false),
        ]
    )
    func answerable(_ leaf: String, _ isGood: Bool) {
        let topic = "ll/v1/app/demo/\(Self.terminal)/\(leaf)"
        #expect(Make.topics.isAnswerable(topic, Make.app, terminal: Make.terminal) == isGood)
    }

    @Test("Combining characters, which Swift joins with the preceding character, are separate bytes to the broker")
    func combining() {
        let space = "ll/v1/app/demo/\(Self.terminal)"
        // The check compares bytes. So a combining character after the slash doesn't hide a topic below `request/`.
        #expect(!Make.topics.isAnswerable("\(space)/request/\u{301}", Make.app, terminal: Make.terminal))
        #expect(!Make.topics.isAnswerable("\(space)/request/\u{200d}x", Make.app, terminal: Make.terminal))
        #expect(Make.topics.isAnswerable("\(space)/request\u{301}/x", Make.app, terminal: Make.terminal))
        #expect(Make.topics.isAnswerable("\(space)/\u{301}", Make.app, terminal: Make.terminal))
        let app = AppID(trusted: "K")
        let kelvin = "ll/v1/app/\u{212a}/\(Self.terminal)/x"
        #expect(!Make.topics.isAnswerable(kelvin, app, terminal: Make.terminal))
    }

    @Test("No answer goes to another client's topics")
    func foreignSpace() {
        for topic in [
            "ll/v1/app/demo/\(Self.hex)/x", "ll/v1/device/d-1/command", "x", "",
            "ll/v1/app/other/\(Self.terminal)/x",
        ] {
            #expect(!Make.topics.isAnswerable(topic, Make.app, terminal: Make.terminal))
        }
    }
}
