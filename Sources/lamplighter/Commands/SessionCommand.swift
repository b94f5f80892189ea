import ArgumentParser

/// `session`: the sessions of users on terminals.
struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Look at who is logged in where, and end a session.",
        subcommands: [SessionListCommand.self, SessionTerminateCommand.self]
    )
}
