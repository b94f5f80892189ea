import ArgumentParser
import Domain
import Foundation
import JSON
import Service

/// `refusals`: what the gate refuses, as it happens.
struct RefusalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refusals",
        abstract: "Show live what the gate refuses, and why; Ctrl-C ends."
    )

    @Option(help: "End after so many.")
    var count: Int?

    @OptionGroup var settings: SettingsOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let values = try await settings.read()
        let directory = try DataDirectory.existing(values.dataDirectory)
        Terminal.tell("Waiting for refusals; Ctrl-C ends.")
        try RefusalWatch.run(directory, values, count: count) { refusal in
            if output.json {
                Terminal.show(.object(refusal))
            } else {
                print(Self.line(refusal))
            }
            fflush(nil)
        }
    }

    private static func line(_ refusal: JSONObject) -> String {
        func text(_ key: String) -> String {
            // Names come from strangers.
            PlainText.of(refusal[key]?.stringValue ?? "-")
        }
        let at = refusal["ts"]?.intValue.map { Instant(milliseconds: $0) }
        return
            "\(TimeText.of(at))  \(text("action"))  \(text("username"))  client \(text("clientId"))"
            + "  from \(text("address"))  \(text("topic"))  \(text("reason"))"
    }
}
