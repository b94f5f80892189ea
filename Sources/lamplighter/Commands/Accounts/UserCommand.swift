import ArgumentParser
import Domain
import JSON
import Storage

/// The commands `user …` about users and their accounts.
struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Inspect users and the audit trail; log out, export or erase a user.",
        discussion: """
            lamplighter user list
            lamplighter user export u-0123456789abc person.json
            """,
        subcommands: [
            UserListCommand.self, UserShowCommand.self, UserLogoutCommand.self, UserExportCommand.self,
            UserEraseCommand.self, UserAuditCommand.self,
        ]
    )
}

/// The command `user list`, which shows users in the order of their ids.
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

    @Option(help: "Only ids after this id, the last of the previous page.")
    var after = ""

    @Flag(help: "Show e-mail addresses and phone numbers in full.")
    var addresses = false

    @OptionGroup(title: "Common options") var common: CommonOptions

    var query: [String: String?] {
        ["query": app.map { "app:\"\($0)\"" }, "limit": "\(most.limit)", "cursor": after, "addresses": "\(addresses)"]
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        Terminal.show(
            answer.items,
            [
                Column("USER", "uid"), Column("APP", "appId"), Column("NAME", \.userName), Column("E-MAIL", "email"),
                Column("PHONE", "phone"), .moment("SINCE", "createdAt"),
            ]
        )
        guard let next = answer["next"]?.stringValue else { return }
        Terminal.tell("there may be more; next page: --after \(next)")
    }
}

extension JSONObject {
    /// The name to show in a user's row.
    var userName: String { self["anonymous"]?.boolValue == true ? "(anonymous)" : text("name") }
}

/// The command `user show`, which shows one user with the user's sessions and devices.
struct UserShowCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one user: names, sessions, devices; addresses are masked.",
        discussion: "lamplighter user show u-0123456789abc"
    )
    static let operation = "showUser"

    @Argument(help: "The user's id.")
    var uid: String

    @Flag(help: "Show e-mail addresses and phone numbers in full.")
    var addresses = false

    @OptionGroup(title: "Common options") var common: CommonOptions

    var path: [String: String] { ["uid": uid] }

    func answer(in place: CommandContext) async throws -> JSONObject {
        let query = ["addresses": "\(addresses)"]
        var answer = try await place.run(Self.operation, path, query: query)
        answer["sessions"] = .array(try await place.liveSessions(of: uid).map { .object($0) })
        return answer
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        let row = answer.object("row")
        func address(_ key: String) -> String {
            row.text(key) + (row["\(key)Verified"]?.boolValue == true ? " (verified)" : "")
        }
        Terminal.show(plain: "\(uid)  app \(row.text("appId"))  \(row.userName)")
        Terminal.show(
            plain: "e-mail \(address("email"))   phone \(address("phone"))" + "   since \(row.moment("createdAt"))"
        )
        if answer["deletesAt"] != nil { print("cancelled: will be erased at \(answer.moment("deletesAt"))") }
        print("")
        Terminal.show(answer.objects("sessions"), SessionListCommand.columns)
        print("")
        Terminal.show(
            answer.objects("devices"),
            [Column("DEVICE") { $0.named("did", "name") }, Column("ROLE", "role")]
        )
    }
}

extension CommandContext {
    /// Returns the user with an id, or throws a `Problem` if there is none.
    func user(_ uid: String) throws -> User {
        try find("user", uid) { try $1.accounts.find($0) }
    }

    /// Returns a user's sessions that have not ended, the newest first.
    func liveSessions(of uid: String) async throws -> [JSONObject] {
        try await run("listSessions", ["uid": uid]).items.filter { $0["endedAt"] == nil }
    }
}

/// The command `user logout`, which ends all sessions of a user.
struct UserLogoutCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End all sessions of a user; their tokens are void at once.",
        discussion: "lamplighter user logout u-0123456789abc"
    )
    static let operation = "endSessions"

    @Argument(help: "The user's id.")
    var uid: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    func answer(in place: CommandContext) async throws -> JSONObject {
        try await place.run(Self.operation, ["uid": uid], by: "lamplighter")
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        print("ended \(answer.text("count")) sessions of \(uid)")
    }
}

/// The command `user audit`, which shows the audit trail of one user or of all users.
struct UserAuditCommand: ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show the audit trail of a user, newest first; without an id, of all users.",
        discussion: "lamplighter user audit u-0123456789abc"
    )
    static let operation = "listUserAudit"

    @Argument(help: "The id of a user, or of an erased user.")
    var uid: String?

    @Option(help: "Maximum number of entries, 1 to 10000.")
    var limit = 100

    @OptionGroup(title: "Common options") var common: CommonOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit takes 1 to 10000, not \(limit)") }
        guard uid.map({ UserID($0) != nil }) ?? true else { throw ValidationError("\(uid ?? "") is not a user's id") }
    }

    func answer(in place: CommandContext) async throws -> JSONObject {
        let query = ["limit": "\(limit)"]
        guard let uid else { return try await place.run("listAudit", query: query) }
        return try await place.run(Self.operation, ["uid": uid], query: query)
    }

    static let columns = [
        .moment("TIME", "at"), Column("WHAT", "kind"), Column("USER", "uid"),
        .actor("BY", "actor"), Column("TERMINAL", "terminalId"),
        Column("DETAIL") { $0.text($0["act"] == nil ? "detail" : "act") },
    ]
}
