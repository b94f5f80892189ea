import ArgumentParser

/// `session`: the sessions of users on terminals.
struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "List and end sessions.",
        discussion: "lamplighter session list",
        subcommands: [SessionListCommand.self, SessionTerminateCommand.self]
    )
}
