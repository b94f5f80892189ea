import ArgumentParser
import Domain
import JSON
import Storage

/// `user show`: one user with sessions and devices.
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
            plain: "e-mail \(address("email"))   phone \(address("phone"))"
                + "   since \(row.moment("createdAt"))"
        )
        if answer["deletesAt"] != nil {
            print("cancelled: will be erased at \(answer.moment("deletesAt"))")
        }
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
    /// Finds a user by id.
    func user(_ uid: String) throws -> User {
        try find("user", uid) { try $1.accounts.find($0) }
    }

    /// Returns a user's live sessions, newest first.
    func liveSessions(of uid: String) async throws -> [JSONObject] {
        try await run("listSessions", ["uid": uid]).items.filter { $0["endedAt"] == nil }
    }
}
