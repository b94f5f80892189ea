import ArgumentParser
import Foundation
import JSON
import Service
import ServiceSettings

extension SettingsOptions {
    /// Reads the settings; this command's flags take precedence.
    func read() async throws -> Settings {
        let reader = try reader([:])
        for note in reader.notes { Terminal.tell("note: \(note)") }
        return try await reader.read()
    }

    /// Reads a service's settings, and prepares the messages that the service prints, in the log's format.
    func readToRun(_ more: [String: String?]) async throws -> (Settings, RunMessages) {
        let reader = try reader(more)
        let settings: Settings
        do {
            settings = try await reader.read()
        } catch {
            // Notes are printed before the error, because a note can name the error's cause.
            for note in reader.notes { Terminal.tell("note: \(note)") }
            throw error
        }
        let messages = RunMessages(settings) {
            Terminal.show(line: $0)
        } tell: {
            Terminal.tell($0)
        }
        for note in reader.notes { messages.note(note) }
        return (settings, messages)
    }

    private func reader(_ more: [String: String?]) throws -> SettingsReader {
        var flags: [String: String] = [:]
        for text in assignments {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw ValidationError("--set takes KEY=VALUE, not \(text)") }
            flags[String(parts[0])] = String(parts[1])
        }
        for (key, value) in more { if let value { flags[key] = value } }
        if let store { flags["store"] = store }
        if let data { flags["data"] = data }
        return SettingsReader(file: config, environment: ProcessInfo.processInfo.environment, flags: flags)
    }
}

extension OutputOptions {
    /// Shows the result of an import, and the new secret, which is never shown again.
    ///
    /// `id` and `secret` are the names of the JSON members for the id and the secret.
    func show(_ result: Import.Outcome, of kind: String, id: String, secret: String) {
        if json {
            return Terminal.show(
                .object([
                    id: .string(result.id), "isNew": .bool(result.isNew), secret: result.secret.map { .string($0) },
                ])
            )
        }
        print("\(result.isNew ? "imported" : "updated") \(kind) \(result.id)")
        if let secret = result.secret {
            print("secret \(secret)")
            Terminal.tell("Store the secret now: no later command shows it.")
        }
    }

    /// The function that prints `ready.json` without secrets; nil if `--json` isn't given.
    var showReady: (@Sendable (JSONValue) -> Void)? {
        guard json else { return nil }
        return { Terminal.show(line: Terminal.json($0)) }
    }

    /// Runs a service; if the log is in JSON and `--json` isn't given, logs the final error.
    func running(with messages: RunMessages, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            guard !json, !(error is ExitCode), messages.end(with: Main.problem(of: error)) else {
                throw error
            }
            throw ExitCode(1)
        }
    }
}
