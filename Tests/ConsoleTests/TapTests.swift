import Domain
import JSON
import Testing
import Wire

@testable import Console

@Suite("Messages that a console watches")
struct TapTests {
    private let reader = TapReader(topics: Topics())

    private func line(_ topic: String, _ payload: String = "{}") -> TapLine? {
        let reading = reader.read(
            topic: ArraySlice(topic.utf8),
            payload: ArraySlice(payload.utf8),
            at: Instant(milliseconds: 1_000)
        )
        guard case .line(let line) = reading else { return nil }
        return line
    }

    private struct Case: CustomTestStringConvertible, Sendable {
        var topic: String
        var branch: String
        var isIn: Bool
        var did: String?
        var talker: String?

        var testDescription: String { topic }

        init(_ topic: String, _ branch: String, isIn: Bool, did: String? = nil, talker: String? = nil) {
            self.topic = topic
            self.branch = branch
            self.isIn = isIn
            self.did = did
            self.talker = talker
        }
    }

    private static let did = "d-abcdefghijk4f"
    private static let terminal = String(repeating: "ab", count: 16)
    private static let cases = [
        Case(
            "device/\(did)/report",
            "device/+/report",
            isIn: true,
            did: did,
            talker: "device:\(did)"
        ),
        Case("device/\(did)/command", "device/+/command", isIn: false, did: did),
        Case("user/u-1/device/\(did)/status", "user/+/device/+/status", isIn: false, did: did),
        Case("user/u-1/session", "user/+/session", isIn: false),
        Case(
            "app/demo/\(terminal)/request/device/control",
            "app/+/+/request/device",
            isIn: true,
            talker: "terminal:\(terminal)"
        ),
        Case(
            "app/demo/\(terminal)/request/strange/one",
            "app/+/+/request/+",
            isIn: true,
            talker: "terminal:\(terminal)"
        ),
        Case("app/demo/\(terminal)/response", "app/+/+/response", isIn: false),
        Case(
            "product/key/a1b2c3d4e5f6/register",
            "product/+/+/register",
            isIn: true,
            talker: "product:key"
        ),
        Case("system/presence/\(did)", "system/presence/+", isIn: true, did: did),
        Case("system/outbound/sms", "system/outbound/sms", isIn: false),
    ]

    @Test("Messages are described by branch, direction, device and sender, with or without a shard", arguments: cases)
    private func topics(row: Case) throws {
        for prefix in ["ll/v1/", "ll/v1/shard/4f/"] {
            let line = try #require(self.line(prefix + row.topic))
            #expect(line.topic == "ll/v1/" + row.topic)
            #expect(line.branch == row.branch)
            #expect(line.isIn == row.isIn)
            #expect(line.did?.text == row.did)
            #expect(line.talker == row.talker)
        }
    }

    @Test(
        "Messages between workers are left out",
        arguments: ["echo/status", "mark/status", "batch/status"]
    )
    func silent(_ leaf: String) { #expect(line("ll/v1/system/\(leaf)") == nil) }

    @Test("Refused messages and dead letters are included")
    func refused() throws {
        let refused = try #require(
            line(
                "ll/v1/system/refusal",
                #"{"username":"device:\#(Self.did)","clientId":"x","address":"127.0.0.1","action":"publish","topic":"ll/v1/device/d-zzzzzzzzzzz00/report","reason":"notAllowed","ts":1}"#
            )
        )
        #expect(refused.outcome == .refused && refused.reason == "notAllowed")
        #expect(refused.topic == "ll/v1/device/d-zzzzzzzzzzz00/report" && refused.did?.text == Self.did)
        let dead = try #require(
            line(
                "ll/v1/system/dead-letter",
                #"{"id":1,"topic":"ll/v1/device/\#(Self.did)/report","reason":"no JSON","ts":1,"worker":"status"}"#
            )
        )
        #expect(dead.outcome == .dead && dead.did?.text == Self.did)
    }

    @Test("Long messages are cut, and very long ones are shown only by size") func bounds() throws {
        let topic = "ll/v1/device/\(Self.did)/report"
        let long = try #require(line(topic, #"{"data":{"text":"\#(String(repeating: "x", count: 5_000))"}}"#))
        let shown = long.json(for: .admin, deviceName: nil).objectValue?["payload"]?.stringValue
        #expect(shown?.count == TapLine.shownMax + 1)
        let huge = try #require(line(topic, "\"" + String(repeating: "x", count: 20_000) + "\""))
        #expect(huge.payload == nil && huge.bytes == 20_002)
    }

    @Test("The rates include messages that were left out")
    func rates() throws {
        var rates = TapRates()
        _ = rates.turn(to: 100)
        let report = try #require(line("ll/v1/device/\(Self.did)/report"))
        for _ in 0..<50 { rates.note(report) }
        rates.note(left: 150)
        let isNew = rates.turn(to: 101)
        #expect(isNew)
        let told = JSONObject(rates.json)
        let first = told["rates"]?.arrayValue?.first?.objectValue
        #expect(first?["branch"] == "device/+/report")
        #expect(first?["perSecond"]?.doubleValue == 200)
        #expect(told["talkers"]?.arrayValue?.first?.objectValue?["messages"] == 200)
    }
}
