import Domain
import Foundation
import JSON
import Metering
import Problems
import TestKit
import Testing

@testable import ServiceSettings

@Suite struct SettingsTests {
    func read(
        file: String? = nil,
        environment: [String: String] = [:],
        flags: [String: String] = [:]
    ) async throws -> Settings { try await SettingsReader(file: file, environment: environment, flags: flags).read() }

    @Test("Without any input each setting has its default")
    func defaults() async throws {
        let settings = try await read()

        #expect(settings.entries.count == SettingsTable.all.count)
        #expect(settings.entries.allSatisfy { $0.origin == .standard })
        #expect(settings.mqttPort == 1883)
        #expect(settings.workers == WorkerName.allCases)
        #expect(settings.mqttCAFile == nil)
        #expect(Limits(settings).batchMax == 500)
    }

    @Test("The defaults of settings equal the defaults of their limits")
    func limitDefaults() async throws {
        var limits = Limits(try await read())
        // This limit has no setting of its own. The service derives the limit from the time limit for mails.
        limits.messageLease = Limits().messageLease

        #expect("\(limits)" == "\(Limits())")
    }

    @Test("A setting changes its limit, in the limit's own unit")
    func limitValues() async throws {
        let flags = [
            "limits.batch": "7", "limits.sessionDays": "2", "limits.turn": "30", "limits.outboxMegabytes": "3",
            "limits.codesPerTerminal": "4",
        ]

        let limits = Limits(try await read(flags: flags))

        #expect(limits.batchMax == 7)
        #expect(limits.sessionSeconds == 172_800)
        #expect(limits.turnMax == .milliseconds(30))
        #expect(limits.outboxBytes == 3 << 20)
        #expect(limits.counts.codesPerTerminal == 4)
    }

    @Test(
        "An origin in an impossible form is refused, with a correction",
        arguments: [
            ("", nil), ("*", nil), ("null", nil), ("https://app.example.com", nil),
            ("https://app.example.com/, http://localhost:8000,capacitor://localhost", nil),
            ("app.example.com", "write https://app.example.com"),
            ("https://a.example, app.example.com:8443", "write https://app.example.com:8443"),
            ("https://app.example.com/page", "write https://app.example.com instead of"),
            ("://app.example.com", "must name the scheme"), ("https://", "must name a host"),
        ] as [(String, String?)]
    )
    func origins(_ text: String, _ cure: String?) async throws {
        let flags = ["mqtt.webSocketOrigins": text]
        guard let cure else {
            #expect(try await read(flags: flags).text("mqtt.webSocketOrigins") == text)
            return
        }

        let problem = await #expect(throws: Problem.self) { _ = try await read(flags: flags) }

        #expect(problem?.code == .settingInvalid)
        #expect(problem?.message.contains(cure) == true)
    }

    @Test("Private targets of webhooks are hosts and blocks of addresses")
    func privateTargets() async throws {
        let flags = ["outbound.privateTargets": "10.1.0.0/16, receiver.internal"]
        #expect(try await read(flags: flags).privateTargets == "10.1.0.0/16, receiver.internal")
        let problem = await #expect(throws: Problem.self) {
            _ = try await read(flags: ["outbound.privateTargets": "https://receiver.internal"])
        }
        #expect(problem?.message.contains("not https://receiver.internal") == true)
    }

    @Test("Each option of the gate belongs to a setting with the same default") func gateOptions() async throws {
        let lines = try await read().gateLines

        let expected = GateOption.allCases.map { option in
            "plugin_opt_\(option.rawValue) \(GateLimits()[keyPath: option.limit])"
        }
        #expect(Set(lines) == Set(expected))
        #expect(lines.count == expected.count)
    }

    @Test("The configuration for an operator's own broker contains the gate's defaults")
    func gateDefaultsForServe() throws {
        let file = URL(filePath: #filePath)
            .appending(path: "../../../deploy/mosquitto/lamplighter.conf").standardized
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")

        for option in GateOption.allCases {
            let line = "plugin_opt_\(option.rawValue) \(GateLimits()[keyPath: option.limit])"
            #expect(lines.contains(Substring(line)))
        }
    }

    @Test("The health port is any free port if only the pages' port is set; otherwise it is the given one")
    func healthPort() async throws {
        #expect(try await read().healthPort == 8081)
        #expect(try await read(flags: ["http.port": "0"]).healthPort == 0)
        #expect(try await read(flags: ["http.port": "9000"]).healthPort == 8081)
        let given = ["http.port": "0", "health.port": "9001"]
        #expect(try await read(flags: given).healthPort == 9001)
    }

    @Test("A variable that looks like a setting is reported, but not refused")
    func notes() {
        let reader = SettingsReader(
            file: nil,
            environment: ["LAMPLIGHTER_MQTT_PROT": "1", "LAMPLIGHTER_MQTT_PORT": "1", "HOME": "/"],
            flags: [:]
        )

        #expect(reader.notes.count == 1)
        #expect(reader.notes.first?.contains("LAMPLIGHTER_MQTT_PORT") == true)
    }

    @Test(
        "Credentials in an address are hidden",
        arguments: [
            (
                "webhook.url", "https://me:s3cret@x.example/a@b?key=s3cret&s3cret&empty=#end",
                "https://***@x.example/a@b?key=***&***&empty=***#end"
            ),
            ("webhook.url", "me:s3cret@x.example?key=s,3cret", "***@x.example?key=***"),
            ("webhook.url", "https://x.example/send", "https://x.example/send"),
            ("http.publicUrl", "https://x.example:8080", "https://x.example:8080"),
            (
                "regions.endpoints", "cn=mqtts://me:s3cret@cn.example,us=mqtts://us.example?a=b",
                "cn=mqtts://***@cn.example,us=mqtts://us.example?a=***"
            ),
            ("smtp.from", "me@x.example", "me@x.example"),
        ]
    )
    func masked(_ key: String, _ value: String, _ shown: String) async throws {
        let settings = try await read(flags: [key: value])

        let entry = try #require(settings.entries.first { $0.setting.key == key })
        #expect(entry.shown == shown)
        #expect(entry.shownJSON == JSONValue.string(shown))
        #expect(settings.text(key) == value)
    }

    @Test(
        "Durations in settings are read with their unit",
        arguments: [
            ("90s", 90), ("30m", 1800), ("12h", 43_200), ("1d", 86_400), ("d", nil), ("1", nil), ("-1d", nil),
            ("9999999999999999999d", nil), ("1w", nil), ("", nil),
        ] as [(String, Int?)]
    )
    func durations(_ text: String, _ seconds: Int?) {
        #expect(Setting.seconds(text) == seconds)
    }

    @Test("Each row of the table of settings is valid")
    func table() {
        #expect(Set(SettingsTable.all.map(\.key)).count == SettingsTable.all.count)
        #expect(Set(SettingsTable.all.map(\.environmentName)).count == SettingsTable.all.count)
        for setting in SettingsTable.all {
            #expect(setting.objection(to: setting.standard) == nil)
            #expect(setting.parse(setting.standard.text) == setting.standard)
            #expect(setting.doc.hasSuffix("."))
            #expect(SettingsReference.markdown.contains("`\(setting.key)`"))
        }
        #expect(SettingsTable.setting("http.publicUrl")?.environmentName == "LAMPLIGHTER_HTTP_PUBLIC_URL")
    }
}
