import ArgumentParser

/// `deadletter`: inspect, replay or drop dead letters.
struct DeadLetterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deadletter",
        abstract: "Inspect, replay or drop dead letters.",
        discussion: """
            lamplighter deadletter list
            lamplighter deadletter replay 12
            """,
        subcommands: [
            DeadLetterListCommand.self, DeadLetterShowCommand.self, DeadLetterReplayCommand.self,
            DeadLetterDropCommand.self,
        ]
    )
}
