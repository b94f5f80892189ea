import Administration
import JSON

extension KeyAddCommand {
    var body: JSONObject {
        [
            "name": .string(name), "appId": .string(app), "scopes": .array(scope.map { .string($0) }),
            "days": days.map { .integer(Int64($0)) },
        ]
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        Terminal.show(line: answer.text("key"))
        Terminal.tell(
            "Key \(answer.text("keyId")) of \(answer.text("appId")), terminal \(answer.text("terminalId")); "
                + "no later command shows its secret."
        )
    }
}

extension KeyListCommand {
    static let columns = [
        Column("KEY", "keyId"), Column("APP", "appId"), Column("NAME", "name"), Column("TERMINAL", "terminalId"),
        Column("SCOPES", "scopes"), .moment("LAST USED", "lastSeenAt"), .moment("UNTIL", "expiresAt"),
        .moment("ENDED", "endedAt"),
    ]

    var query: [String: String?] { ["appId": app] }
}

extension KeyRotateCommand {
    var path: [String: String] { ["keyId": key] }

    func show(_ answer: JSONObject, in place: CommandContext) {
        Terminal.show(line: answer.text("key"))
        Terminal.tell("The old secret works until this one is used, for 24 hours at most.")
    }
}

extension KeyRevokeCommand {
    var path: [String: String] { ["keyId": key] }

    func show(_ answer: JSONObject, in place: CommandContext) {
        print("revoked \(key)")
        for made in answer["subscriptions"]?.arrayValue?.compactMap(\.objectValue) ?? [] {
            print("its subscription \(made.text("name")) (\(made.text("subscriptionId"))) continues")
        }
    }
}
