import ArgumentParser
import Domain
import JSON
import Storage

extension UserListCommand {
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

extension UserShowCommand {
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
        let addresses = "e-mail \(address("email"))   phone \(address("phone"))"
        Terminal.show(plain: "\(addresses)   since \(row.moment("createdAt"))")
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
    /// Returns the user with the given id, or throws a `Problem`.
    func user(_ uid: String) throws -> User {
        try find("user", uid) { try $1.accounts.find($0) }
    }

    /// Returns a user's sessions that have not ended, the newest first.
    func liveSessions(of uid: String) async throws -> [JSONObject] {
        try await run("listSessions", ["uid": uid]).items.filter { $0["endedAt"] == nil }
    }
}

extension UserLogoutCommand {
    func answer(in place: CommandContext) async throws -> JSONObject {
        try await place.run(Self.operation, ["uid": uid], by: "lamplighter")
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        print("ended \(answer.text("count")) sessions of \(uid)")
    }
}

extension UserAuditCommand {
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
