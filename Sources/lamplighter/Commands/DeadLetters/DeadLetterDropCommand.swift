import Storage
import ArgumentParser
import JSON
import Workers

/// `deadletter drop`: removes dead letters for good.
struct DeadLetterDropCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Drop dead letters.",
        discussion: "lamplighter deadletter drop 12 13"
    )

    @Argument(help: "Their ids.")
    var ids: [Int64] = []

    @Flag(help: "Drop all.")
    var all = false

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func validate() throws {
        guard all != !ids.isEmpty else { throw ValidationError("give ids, or --all") }
    }

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let (ids, all) = (ids, all)
        let dropped = try place.store.batch(at: SystemClock().now, once: true) { tx in
            if all { return try tx.deadLetters.dropAll() }
            return try ids.count { try tx.deadLetters.drop($0) }
        }
        if dropped == 0, let id = ids.first { throw place.missing("dead letter", "\(id)") }
        if output.json {
            Terminal.show(.object(["dropped": .integer(Int64(dropped))]))
        } else {
            print("dropped \(dropped)")
        }
    }
}
