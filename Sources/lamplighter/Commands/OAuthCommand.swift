import Administration
import JSON

extension OAuthAddCommand {
    var body: JSONObject {
        [
            "name": .string(name), "appId": .string(app), "redirects": .array(redirect.map { .string($0) }),
            "scopes": .array(scope.map { .string($0) }), "public": .bool(isPublic),
        ]
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        Terminal.show(line: answer.text("clientId"))
        guard !isPublic else { return }
        Terminal.show(line: answer.text("clientSecret"))
        Terminal.tell("The second line is the client's secret; no later command shows it.")
    }
}

extension OAuthListCommand {
    static let columns = [
        Column("CLIENT", "clientId"), Column("APP", "appId"), Column("NAME", "name"), Column("SCOPES", "scopes"),
        Column("REDIRECTS", "redirects"),
    ]

    var query: [String: String?] { ["appId": app] }
}

extension OAuthRemoveCommand {
    var path: [String: String] { ["clientId": client] }

    func show(_ answer: JSONObject, in place: CommandContext) {
        print("removed \(client); \(answer["ended"]?.intValue ?? 0) users are no longer linked to it")
    }
}
