import ArgumentParser

/// `deadletter`: inspect, replay or drop dead letters.
struct DeadLetterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deadletter",
        abstract: "Look at messages that were put aside, send one again, drop them.",
        subcommands: [
            DeadLetterListCommand.self, DeadLetterShowCommand.self, DeadLetterReplayCommand.self,
            DeadLetterDropCommand.self,
        ]
    )
}
