import Domain
import Foundation
import JSON
import Metering
import Problems
import TestKit
import Testing

@testable import ServiceSettings

extension SettingsTests {
    @Test("The environment overrides the file, and flags override both")
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

    @Test("JSON files work like YAML files, including lists")
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

    @Test("Without a flag, the environment names the file")
    func fileFromEnvironment() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("root: my/root\n", to: "l.yml")

        #expect(try await read(environment: ["LAMPLIGHTER_CONFIG": file]).root == "my/root")
    }

    @Test("A misspelled setting causes an error with file, line and a suggestion")
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
        "A wrong value causes an error with the permitted values",
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

    @Test("A named file that is missing or malformed causes an error")
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
        "An empty file contains no settings, and causes no error",
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

    @Test("An empty section is ignored; a value in place of a section is an error") func emptySection() async throws {
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
}
