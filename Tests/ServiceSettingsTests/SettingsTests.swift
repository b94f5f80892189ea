import Domain
import Foundation
import JSON
import Metering
import Problems
import TestKit
import Testing

@testable import ServiceSettings

@Suite struct SettingsTests {
    private func read(
        file: String? = nil,
        environment: [String: String] = [:],
        flags: [String: String] = [:]
    ) async throws -> Settings { try await SettingsReader(file: file, environment: environment, flags: flags).read() }

    @Test("Without anything given every setting has its default")
    func defaults() async throws {
        let settings = try await read()

        #expect(settings.entries.count == SettingsTable.all.count)
        #expect(settings.entries.allSatisfy { $0.origin == .standard })
        #expect(settings.mqttPort == 1883)
        #expect(settings.workers == WorkerName.allCases)
        #expect(settings.mqttCAFile == nil)
        #expect(Limits(settings).batchMax == 500)
    }

    @Test("The defaults of settings are those of the limits that they set")
    func limitDefaults() async throws {
        var limits = Limits(try await read())
        // This limit has no setting of its own; the service derives it from the time limit for mails.
        limits.messageLease = Limits().messageLease

        #expect("\(limits)" == "\(Limits())")
    }

    @Test("A setting of a limit changes that limit, in the limit's own unit")
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
        "An origin that no browser would name is refused, with what to write instead",
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

    @Test("Every option of the gate follows a setting, whose default is the gate's own") func gateOptions() async throws
    {
        let lines = try await read().gateLines

        let expected = GateOption.allCases.map { option in
            "plugin_opt_\(option.rawValue) \(GateLimits()[keyPath: option.limit])"
        }
        #expect(Set(lines) == Set(expected))
        #expect(lines.count == expected.count)
    }

    @Test("The configuration for an operator's own broker has the gate's defaults")
    func gateDefaultsForServe() throws {
        let file = URL(filePath: #filePath)
            .appending(path: "../../../deploy/mosquitto/lamplighter.conf").standardized
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")

        for option in GateOption.allCases {
            let line = "plugin_opt_\(option.rawValue) \(GateLimits()[keyPath: option.limit])"
            #expect(lines.contains(Substring(line)))
        }
    }

    @Test("The health port is any free one where only the pages' port is said to be, else as given") func healthPort()
        async throws
    {
        #expect(try await read().healthPort == 8081)
        #expect(try await read(flags: ["http.port": "0"]).healthPort == 0)
        #expect(try await read(flags: ["http.port": "9000"]).healthPort == 8081)
        let given = ["http.port": "0", "health.port": "9001"]
        #expect(try await read(flags: given).healthPort == 9001)
    }

    @Test("The environment wins over the file, and flags over both")
    func layers() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            "mqtt:\n  port: 1001\n  host: 127.0.0.2\nhttp:\n  port: 2001\nlog:\n  level: debug\n",
            to: "l.yaml"
        )

        let settings = try await read(
            file: file,
            environment: ["LAMPLIGHTER_HTTP_PORT": "2002", "LAMPLIGHTER_LOG_LEVEL": "trace"],
            flags: ["log.level": "error"]
        )

        #expect(settings.mqttPort == 1001)
        #expect(settings.mqttHost == "127.0.0.2")
        #expect(settings.httpPort == 2002)
        #expect(settings.logLevel == "error")
        let origins = Dictionary(uniqueKeysWithValues: settings.entries.map { ($0.setting.key, $0.origin) })
        #expect(origins["mqtt.port"] == .file(file))
        #expect(origins["http.port"] == .environment("LAMPLIGHTER_HTTP_PORT"))
        #expect(origins["log.level"] == .flag)
        #expect(settings.file == file)
    }

    @Test("JSON works as YAML does, lists included")
    func json() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            #"{"demo": false, "workers": ["status", "control"], "http": {"publicUrl": "https://x.example"}}"#,
            to: "l.json"
        )

        let settings = try await read(file: file)

        #expect(!settings.makesDemo)
        #expect(settings.workers == [.status, .control])
        #expect(settings.publicURL == "https://x.example")
    }

    @Test("The environment names the file where no flag does")
    func fileFromEnvironment() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("root: my/root\n", to: "l.yml")

        #expect(try await read(environment: ["LAMPLIGHTER_CONFIG": file]).root == "my/root")
    }

    @Test("A misspelt setting is an error that names file, line and what was meant")
    func unknown() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("root: a\nmqtt:\n  prot: 5\n", to: "l.yaml")

        let problem = await #expect(throws: Problem.self) { try await read(file: file) }

        #expect(problem?.code == .settingUnknown)
        #expect(problem?.place == "\(file):3")
        #expect(problem?.message.contains("did you mean mqtt.port?") == true)
    }

    /// A setting's wrong value, and a word that the error must contain.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let key: String
        let value: String
        let word: String
        var testDescription: String { "\(key)=\(value)" }
    }

    @Test(
        "A wrong value is an error that says what is right",
        arguments: [
            Wrong(key: "mqtt.port", value: "70000", word: "between 0 and 65535"),
            Wrong(key: "mqtt.port", value: "many", word: "must be a whole number"),
            Wrong(key: "log.level", value: "wraning", word: "did you mean warning?"),
            Wrong(key: "demo", value: "perhaps", word: "true or false"),
            Wrong(key: "workers", value: "status,statsu", word: "did you mean status?"),
            Wrong(key: "workers", value: "status,status", word: "only once"),
            Wrong(key: "root", value: "a\nallow_anonymous true", word: "control characters"),
        ]
    )
    func wrong(_ wrong: Wrong) async throws {
        for layer in ["flag", "environment"] {
            let setting = try #require(SettingsTable.setting(wrong.key))
            let problem = await #expect(throws: Problem.self) {
                try await read(
                    environment: layer == "flag" ? [:] : [setting.environmentName: wrong.value],
                    flags: layer == "flag" ? [wrong.key: wrong.value] : [:]
                )
            }
            #expect(problem?.code == .settingInvalid)
            #expect(problem?.message.contains(wrong.word) == true)
            #expect(problem?.message.contains(wrong.key) == true)
        }
    }

    @Test("A file that is named but missing, or malformed, is an error")
    func unreadable() async throws {
        let directory = try TemporaryDirectory()
        let malformed = try directory.write("a: [", to: "l.yaml")

        for file in [directory.path("none.yaml"), malformed] {
            let problem = await #expect(throws: Problem.self) { try await read(file: file) }
            #expect(problem?.code == .configurationUnreadable)
            #expect(problem?.place == file)
        }
    }

    @Test(
        "A file with nothing in it yet has no settings, and is not an error",
        arguments: [
            ("", "l.yaml"), ("# mqtt:\n\n#  port: 1\n", "l.yml"), ("---\n", "l.yaml"),
            (" \n", "l.json"),
        ]
    )
    func blank(_ text: String, _ name: String) async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(text, to: name)

        let settings = try await read(file: file, flags: ["mqtt.port": "5"])

        #expect(settings.file == file)
        #expect(settings.mqttPort == 5)
        #expect(settings.entries.count { $0.origin != .standard } == 1)
    }

    @Test("A section with nothing under it is none; a value in its place is an error") func emptySection() async throws
    {
        let directory = try TemporaryDirectory()
        let empty = "mqtt:\n  # port: 1\nhttp: ~\nlog:\n  level: debug\nlimits:\n"
        let file = try directory.write(empty, to: "l.yaml")

        let settings = try await read(file: file)

        #expect(settings.logLevel == "debug")
        #expect(settings.entries.count { $0.origin != .standard } == 1)
        for text in ["mqtt: 5\n", "mqtt: [a]\n", "mqqt:\n"] {
            let odd = try directory.write(text, to: "odd.yaml")
            let problem = await #expect(throws: Problem.self) { try await read(file: odd) }
            #expect(problem?.code == .settingUnknown)
        }
    }

    @Test("A variable that looks like a setting is noted, not refused")
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
        "Credentials in an address are not shown",
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
        "Times of settings are read with their unit",
        arguments: [
            ("90s", 90), ("30m", 1800), ("12h", 43_200), ("1d", 86_400), ("d", nil), ("1", nil), ("-1d", nil),
            ("9999999999999999999d", nil), ("1w", nil), ("", nil),
        ] as [(String, Int?)]
    )
    func durations(_ text: String, _ seconds: Int?) {
        #expect(Setting.seconds(text) == seconds)
    }

    @Test("Every row of the table is sound")
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
