import ArgumentParser

/// `user`: the people who have accounts.
struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Inspect users and the audit trail; log users out; erase one.",
        subcommands: [
            UserListCommand.self, UserShowCommand.self, UserLogoutCommand.self,
            UserEraseCommand.self, UserAuditCommand.self,
        ]
    )
}
