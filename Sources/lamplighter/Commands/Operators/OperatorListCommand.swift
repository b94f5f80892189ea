import ArgumentParser
import Domain
import JSON
import Storage
import Workers

/// `operator list`: operators with their sessions and tokens.
struct OperatorListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the operators with their numbers of sessions and tokens.",
        discussion: "lamplighter operator list"
    )

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let now = SystemClock().now
        let (rows, sessions, tokens) = try place.store.read { tx in
            (
                try tx.operators.all(), try tx.operators.sessions().filter { $0.isLive(at: now) },
                try tx.operators.tokens().filter { now < $0.expiresAt }
            )
        }
        if output.json {
            return Terminal.show(
                .array(
                    rows.map { row in
                        [
                            "name": .string(row.name), "role": .string(row.role.rawValue),
                            "hasPassword": .bool(row.passwordHash != nil),
                            "sessions": .integer(Int64(sessions.count { $0.name == row.name })),
                            "tokens": .integer(Int64(tokens.count { $0.name == row.name })),
                            "createdAt": .integer(row.createdAt.milliseconds),
                        ]
                    }
                )
            )
        }
        var table = TextTable(["OPERATOR", "ROLE", "PASSWORD", "SESSIONS", "TOKENS", "LAST SEEN"])
        for row in rows {
            let own = sessions.filter { $0.name == row.name }
            table.add([
                row.name, row.role.rawValue, row.passwordHash == nil ? "no" : "yes",
                "\(own.count)", "\(tokens.count { $0.name == row.name })",
                TimeText.of(own.map(\.seenAt).max()),
            ])
        }
        print(table.text)
    }
}

/// `operator revoke`: ends an operator's sessions and links, or removes the operator with all
/// tokens.
struct OperatorRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract:
            "End an operator's sessions and links; with --remove, also remove the tokens and the operator.",
        discussion: """
            lamplighter operator revoke anna
            lamplighter operator revoke anna --remove
            """
    )

    @Argument(help: "The operator's name.")
    var name: String

    @Flag(help: "Remove the operator, with all tokens.")
    var remove = false

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let found = try place.oneOperator(name)
        let count = try place.store.batch(at: SystemClock().now, once: true) { tx in
            let count = try tx.operators.revoke(found.name)
            if remove { _ = try tx.operators.remove(found.name) }
            let act = remove ? "removeOperator" : "revokeOperator"
            try tx.audit.add(.act(act, subject: "operator \(found.name)"))
            return count
        }
        if output.json {
            return Terminal.show(["sessions": .integer(Int64(count)), "removed": .bool(remove)])
        }
        print(
            "\(count) sessions of \(found.name) ended\(remove ? "; the operator is removed" : "")"
        )
    }
}
