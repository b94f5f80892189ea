import ArgumentParser
import JSON

/// `user list`: users in the order of their ids.
struct UserListCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the users, in the order of their ids; addresses are masked.",
        discussion: "lamplighter user list --app demo"
    )
    static let operation = "listUsers"

    @Option(help: "Only users of one app.")
    var app: String?

    @OptionGroup var most: LimitOption

    @Option(help: "Only ids after this one, the last of the previous page.")
    var after = ""

    @Flag(help: "Show e-mail addresses and phone numbers in full.")
    var addresses = false

    @OptionGroup(title: "Common options") var common: CommonOptions

    var query: [String: String?] {
        [
            "query": app.map { "app:\"\($0)\"" }, "limit": "\(most.limit)", "cursor": after,
            "addresses": "\(addresses)",
        ]
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        Terminal.show(
            answer.items,
            [
                Column("USER", "uid"), Column("APP", "appId"), Column("NAME", \.userName),
                Column("E-MAIL", "email"), Column("PHONE", "phone"), .moment("SINCE", "createdAt"),
            ]
        )
        guard let next = answer["next"]?.stringValue else { return }
        Terminal.tell("there may be more; next page: --after \(next)")
    }
}

extension JSONObject {
    /// The name in a user's row.
    var userName: String { self["anonymous"]?.boolValue == true ? "(anonymous)" : text("name") }
}
