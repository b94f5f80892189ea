import Administration
import ArgumentParser
import JSON

/// `key`: the API keys with which makers' servers ask for their app's users.
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Manage API keys, with which a maker's server asks for users of its app.",
        discussion: """
            lamplighter key add billing --app demo --scope device:read events
            lamplighter key list
            """,
        subcommands: [KeyAddCommand.self, KeyListCommand.self, KeyRotateCommand.self, KeyRevokeCommand.self]
    )
}

/// `key add`: makes a key.
struct KeyAddCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make a key; its secret is shown only once.",
        discussion: """
            lamplighter key add billing --app demo --scope device:read events --days 365

            The server connects as app:APP, with the key's terminal as client id and the key as password,
            or sends it as Bearer token over HTTP. Each request names the user in uid.
            Scopes: events, device, home, share, schedule, notification, account; with :read only methods
            that change nothing.
            """
    )
    static let operation = "addKey"
    static let isNoted = true

    @Argument(help: "Its name, shown as the cause of what it does.")
    var name: String

    @Option(help: "The app's id.")
    var app: String

    @Option(parsing: .upToNextOption, help: "A service that it may use, such as device or device:read.")
    var scope: [String]

    @Option(help: "Days for which it is valid, 1 to 3650 (default: without end).")
    var days: Int?

    @OptionGroup(title: "Common options") var common: CommonOptions

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

/// `key list`: all keys.
struct KeyListCommand: ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the keys of one app, or of all.",
        discussion: "lamplighter key list --app demo"
    )
    static let operation = "listKeys"

    @Option(help: "The app's id.")
    var app: String?

    @OptionGroup(title: "Common options") var common: CommonOptions

    static let columns = [
        Column("KEY", "keyId"), Column("APP", "appId"), Column("NAME", "name"), Column("TERMINAL", "terminalId"),
        Column("SCOPES", "scopes"), .moment("LAST USED", "lastSeenAt"), .moment("UNTIL", "expiresAt"),
        .moment("ENDED", "endedAt"),
    ]

    var query: [String: String?] { ["appId": app] }
}

/// `key rotate`: gives a key a new secret.
struct KeyRotateCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Give a key a new secret, shown only once.",
        discussion: """
            lamplighter key rotate k-0123456789abc

            The old secret works until the new one is used, for 24 hours at most.
            """
    )
    static let operation = "rotateKey"
    static let isNoted = true

    @Argument(help: "The key's id, from key list.")
    var key: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    var path: [String: String] { ["keyId": key] }

    func show(_ answer: JSONObject, in place: CommandContext) {
        Terminal.show(line: answer.text("key"))
        Terminal.tell("The old secret works until this one is used, for 24 hours at most.")
    }
}

/// `key revoke`: ends a key.
struct KeyRevokeCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "End a key; its connection is closed.",
        discussion: """
            lamplighter key revoke k-0123456789abc

            Event subscriptions that it made belong to the app: they are named, and go on.
            """
    )
    static let operation = "revokeKey"
    static let isNoted = true

    @Argument(help: "The key's id, from key list.")
    var key: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    var path: [String: String] { ["keyId": key] }

    func show(_ answer: JSONObject, in place: CommandContext) {
        print("revoked \(key)")
        for made in answer["subscriptions"]?.arrayValue?.compactMap(\.objectValue) ?? [] {
            print("the subscription \(made.text("name")) (\(made.text("subscriptionId"))), which it made, goes on")
        }
    }
}
