import NIOHTTP1
import Testing

@testable import Web

@Suite struct OriginRuleTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var setting = ""
        var origin: String?
        var host: String? = "lamps.example.com:8084"
        var isSecure = true
        let isAllowed: Bool

        var testDescription: String { "\(origin ?? "no origin"), setting \(setting), TLS \(isSecure)" }
    }

    @Test(
        "Pages of this machine, of the server's own name with TLS, and of the setting can connect",
        arguments: [
            Case(origin: nil, isAllowed: true), Case(origin: "http://localhost:8000", isAllowed: true),
            Case(origin: "http://127.0.0.1", isAllowed: true), Case(origin: "http://[::1]:8000", isAllowed: true),
            Case(origin: "https://lamps.example.com", isAllowed: true),
            Case(origin: "https://lamps.example.com:8443", isAllowed: true),
            Case(origin: "https://LAMPS.example.com", isAllowed: true),
            // Without TLS, a page from the server's own name is refused. An attacker could make any name resolve to the
            // loopback address, and this name would then count as the server's own.
            Case(origin: "http://lamps.example.com", isSecure: false, isAllowed: false),
            Case(origin: "https://evil.example", isAllowed: false),
            Case(origin: "https://localhost.evil.example", isAllowed: false),
            Case(origin: "https://localhost:5173.evil.example", isAllowed: false),
            Case(origin: "https://lamps.example.com.evil.example", isAllowed: false),
            Case(origin: "https://lamps.example.com", host: nil, isAllowed: false),
            Case(origin: "null", isAllowed: false),
            Case(origin: "", isAllowed: false),
            Case(setting: "https://app.example", origin: "https://app.example", isAllowed: true),
            Case(
                setting: "https://a.example, https://app.example",
                origin: "https://App.example",
                isAllowed: true
            ),
            Case(setting: "https://app.example", origin: "http://app.example", isAllowed: false),
            Case(
                setting: "https://app.example",
                origin: "https://app.example:444",
                isAllowed: false
            ),
            Case(setting: "*", origin: "https://evil.example", isAllowed: true),
            Case(setting: "null", origin: "null", isAllowed: true),
        ]
    )
    func origins(_ row: Case) {
        let rule = OriginRule(row.setting)

        #expect(rule.allows(row.origin, host: row.host, isSecure: row.isSecure) == row.isAllowed)
    }

    @Test(
        "Requests that aren't MQTT over WebSocket are refused with the reason",
        arguments: [
            ("/mqtt", "websocket", "mqtt", nil), ("/mqtt?x=1", "WebSocket", "mqttv3.1, mqtt", nil),
            ("/", "websocket", "mqtt", 404), ("/mqtt/x", "websocket", "mqtt", 404),
            ("/mqtt", nil, "mqtt", 426),
            ("/mqtt", "h2c", "mqtt", 426), ("/mqtt", "websocket", nil, 400),
            ("/mqtt", "websocket", "chat", 400),
        ] as [(String, String?, String?, UInt?)]
    )
    func requests(_ uri: String, _ upgrade: String?, _ subprotocol: String?, _ status: UInt?) {
        var headers = HTTPHeaders([("Host", "localhost"), ("Connection", "Upgrade")])
        if let upgrade { headers.add(name: "Upgrade", value: upgrade) }
        if let subprotocol { headers.add(name: "Sec-WebSocket-Protocol", value: subprotocol) }
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: uri, headers: headers)

        let refusal = WebSocketRequest(origins: OriginRule(""), isSecure: false).refusal(of: head)

        #expect(refusal?.status.code == status)
    }
}
