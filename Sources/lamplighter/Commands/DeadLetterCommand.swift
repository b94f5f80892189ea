import ArgumentParser

/// `deadletter`: messages that were put aside.
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
