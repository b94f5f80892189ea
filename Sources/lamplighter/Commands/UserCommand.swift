import ArgumentParser

/// `user`: the people who have accounts.
struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Look at users and what was done to their accounts; log them out; erase one.",
        subcommands: [
            UserListCommand.self, UserShowCommand.self, UserLogoutCommand.self,
            UserEraseCommand.self, UserAuditCommand.self,
        ]
    )
}
