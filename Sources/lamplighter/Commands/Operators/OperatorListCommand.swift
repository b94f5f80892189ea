import ArgumentParser
import Domain
import JSON
import Storage
import Workers

/// `operator list`: operators with their sessions and tokens.
struct OperatorListCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the operators with their numbers of sessions and tokens.",
        discussion: "lamplighter operator list"
    )
    static let operation = "listOperators"

    @OptionGroup(title: "Common options") var common: CommonOptions

    func show(_ answer: JSONObject, in place: CommandContext) {
        Terminal.show(
            answer.items,
            [
                Column("OPERATOR", "name"), Column("ROLE", "role"),
                Column("PASSWORD", "hasPassword"), Column("SESSIONS", "sessions"),
                Column("TOKENS", "tokens"), .moment("LAST SEEN", "lastSeenAt"),
            ]
        )
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
