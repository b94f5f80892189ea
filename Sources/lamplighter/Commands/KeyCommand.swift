import Administration
import ArgumentParser
import JSON

/// The commands `key …` about the API keys with which makers' servers send requests for users of their apps.
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Manage API keys, with which a maker's server acts for users of its app.",
        discussion: """
            lamplighter key add billing --app demo --scope device:read events
            lamplighter key list
            """,
        subcommands: [KeyAddCommand.self, KeyListCommand.self, KeyRotateCommand.self, KeyRevokeCommand.self]
    )
}

/// The command `key add`, which creates an API key.
struct KeyAddCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make a key; its secret is shown only once.",
        discussion: """
            lamplighter key add billing --app demo --scope device:read events --days 365

            The server connects as app:APP, with the key's terminal as client id and the key as password,
            or sends the key as Bearer token over HTTP. Each request names the user in uid.
            Scopes: events, device, home, share, schedule, notification, account; with :read, only methods
            that change nothing.
            """
    )
    static let operation = "addKey"
    static let isNoted = true

    @Argument(help: "The key's name, shown as the cause of changes made with it.")
    var name: String

    @Option(help: "The app's id.")
    var app: String

    @Option(parsing: .upToNextOption, help: "A service that the key may use, such as device or device:read.")
    var scope: [String]

    @Option(help: "Days for which the key is valid, 1 to 3650 (default: no limit).")
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

/// The command `key list`, which shows the API keys.
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

/// The command `key rotate`, which gives an API key a new secret.
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

/// The command `key revoke`, which ends an API key.
struct KeyRevokeCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "End a key; its connection is closed.",
        discussion: "lamplighter key revoke k-0123456789abc"
    )
    static let operation = "revokeKey"
    static let isNoted = true

    @Argument(help: "The key's id, from key list.")
    var key: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    var path: [String: String] { ["keyId": key] }

    func show(_ answer: JSONObject, in place: CommandContext) { print("revoked \(key)") }
}
