import ArgumentParser

/// `user`: the users with accounts.
struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Inspect users and the audit trail; log users out; export or erase one.",
        discussion: """
            lamplighter user list
            lamplighter user export u-0123456789abc person.json
            """,
        subcommands: [
            UserListCommand.self, UserShowCommand.self, UserLogoutCommand.self,
            UserExportCommand.self, UserEraseCommand.self, UserAuditCommand.self,
        ]
    )
}
