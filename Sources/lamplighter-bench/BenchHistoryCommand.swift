import ArgumentParser
import Bench
import Domain
import Files
import JSON
import Service
import ServiceSettings
import Storage

/// `lamplighter-bench history`: whether a long history makes a day's page slower.
struct BenchHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract:
            "Measure a one-day query of a device with a long history against one with a single day.",
        discussion: """
            lamplighter-bench history

            With --into, nothing is measured. Devices, one of them with a long history over a year, are
            written to the store of a data directory whose service is stopped, to measure the console with.
            """
    )

    @Option(help: "Records of the device with the long history.")
    var records = 10_000_000

    @Option(help: "Queries of each kind to each device.")
    var questions = 100

    @Option(help: "A data directory to write devices to, instead of measuring.")
    var into: String?

    @Option(help: "Devices without a history in addition to the one with a history, for --into.")
    var devices = 0

    @OptionGroup(title: "Common options") var output: BenchOutput

    func validate() throws {
        guard records >= 10_000, questions > 0 else {
            throw ValidationError("--records must be at least 10000, --questions at least 1.")
        }
    }

    func run() async throws {
        if let into { return try await write(into: into) }
        var options = BenchHistoryOptions()
        options.records = records
        options.questions = questions
        try await output.finish { try BenchHistory(options) { BenchOutput.tell($0) }.run() }
    }

    private func write(into path: String) async throws {
        var past = BenchLongPast()
        (past.records, past.devices) = (records, devices)
        let settings = try await SettingsReader(file: nil, environment: [:], flags: ["data": path])
            .read()
        let directory = try DataDirectory.existing(settings)
        let store = try StoreAccess.tool(directory, StorePlace(settings))
        let did = try past.write(into: store) { BenchOutput.tell($0) }
        if output.json { BenchOutput.show(["did": .string(did.text)]) } else { print(did.text) }
    }
}
