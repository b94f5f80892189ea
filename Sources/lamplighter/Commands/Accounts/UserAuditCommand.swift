import ArgumentParser
import Domain
import JSON

/// `user audit`: the audit trail of an account.
struct UserAuditCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show the audit trail of a user, newest first; without an id, of all users.",
        discussion: "lamplighter user audit u-0123456789abc"
    )
    static let operation = "listUserAudit"

    @Argument(help: "The user's id; may be that of an erased user.")
    var uid: String?

    @Option(help: "Maximum number of entries, 1 to 10000.")
    var limit = 100

    @OptionGroup(title: "Common options") var common: CommonOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else {
            throw ValidationError("--limit takes 1 to 10000, not \(limit)")
        }
        guard uid.map({ UserID($0) != nil }) ?? true else {
            throw ValidationError("\(uid ?? "") is not a user's id")
        }
    }

    func answer(in place: CommandContext) async throws -> JSONObject {
        let query = ["limit": "\(limit)"]
        guard let uid else { return try await place.run("listAudit", query: query) }
        return try await place.run(Self.operation, ["uid": uid], query: query)
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        Terminal.show(
            answer.items,
            [
                .moment("TIME", "at"), Column("WHAT", "kind"), Column("USER", "uid"),
                .actor("BY", "actor"), Column("TERMINAL", "terminalId"),
                Column("DETAIL") { $0.text($0["act"] == nil ? "detail" : "act") },
            ]
        )
    }
}
