import ArgumentParser
import Foundation
import ServiceSettings

/// The flags that all commands share: where the data is, and any setting by its name.
struct SettingsOptions: ParsableArguments {
    @Option(help: "Data directory (default ./lamplighter-data).")
    var data: String?

    @Option(help: "Configuration file, YAML or JSON.")
    var config: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Any setting by its name; see `lamplighter config`.",
            valueName: "key=value"
        )
    )
    var assignments: [String] = []

    /// Reads the settings with this command's flags on top.
    func read(_ more: [String: String?] = [:]) async throws -> Settings {
        var flags: [String: String] = [:]
        for text in assignments {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw ValidationError("--set takes KEY=VALUE, not \(text)")
            }
            flags[String(parts[0])] = String(parts[1])
        }
        for (key, value) in more { if let value { flags[key] = value } }
        if let data { flags["data"] = data }
        let reader = SettingsReader(
            file: config,
            environment: ProcessInfo.processInfo.environment,
            flags: flags
        )
        for note in reader.notes { Terminal.tell("note: \(note)") }
        return try await reader.read()
    }
}

/// The flag that picks the form of the output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON for programs; errors too.")
    var json = false
}
