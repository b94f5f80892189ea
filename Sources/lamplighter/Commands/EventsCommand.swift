import Administration
import ArgumentParser
import JSON

/// `events`: the event log and its readers.
struct EventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "See which servers read events, and how far; replay and pause.",
        discussion: """
            lamplighter events list
            lamplighter events tail --app demo
            """,
        subcommands: [
            EventsListCommand.self, EventsSeekCommand.self, EventsPauseCommand.self, EventsResumeCommand.self,
            EventsTailCommand.self,
        ]
    )
}

/// `events list`: subscriptions with their lag.
struct EventsListCommand: ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the subscriptions of one app, or of all.",
        discussion: "lamplighter events list --app demo"
    )
    static let operation = "listSubscriptions"

    @Option(help: "The app's id.")
    var app: String?

    @OptionGroup(title: "Common options") var common: CommonOptions

    static let columns = [
        Column("SUBSCRIPTION", "subscriptionId"), Column("APP", "appId"), Column("NAME", "name"),
        Column("STATE", "state"), Column("BEHIND") { "\($0["behind"]?.intValue ?? 0) s" }, Column("TRIES", "tries"),
        Column("URL", "url"), Column("LAST ERROR", "lastError"),
    ]

    var query: [String: String?] { ["appId": app] }
}

/// A command that changes a subscription.
protocol SubscriptionCommand: OperationCommand {
    /// The subscription's id.
    var subscription: String { get }
}

extension SubscriptionCommand {
    static var operation: String { "changeSubscription" }
    static var isNoted: Bool { true }
    var path: [String: String] { ["subscriptionId": subscription] }

    func show(_ answer: JSONObject, in place: CommandContext) {
        print(
            "\(answer.text("subscriptionId")) is \(answer.text("state")), \(answer["behind"]?.intValue ?? 0) s behind"
        )
    }
}

/// `events seek`: moves a subscription's cursor.
struct EventsSeekCommand: SubscriptionCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek",
        abstract: "Move a subscription's cursor; moving it back replays events.",
        discussion: """
            lamplighter events seek v-0123456789abc 1795255200000

            The place is now, start, an event's id, or a time in milliseconds since 1970.
            """
    )

    @Argument(help: "The subscription's id, from events list.")
    var subscription: String

    @Argument(help: "The place: now, start, an event's id, or a time.")
    var place: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    var body: JSONObject { ["cursor": Int64(place).map { .integer($0) } ?? .string(place)] }
}

/// `events pause`: stops deliveries.
struct EventsPauseCommand: SubscriptionCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop a webhook; its events wait.",
        discussion: "lamplighter events pause v-0123456789abc"
    )

    @Argument(help: "The subscription's id, from events list.")
    var subscription: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    var body: JSONObject { ["state": "paused"] }
}

/// `events resume`: lets deliveries go on.
struct EventsResumeCommand: SubscriptionCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Let a paused or disabled webhook go on where it was.",
        discussion: "lamplighter events resume v-0123456789abc"
    )

    @Argument(help: "The subscription's id, from events list.")
    var subscription: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    var body: JSONObject { ["state": "on"] }
}

/// `events tail`: prints entries as an app's reader gets them.
struct EventsTailCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Print an app's events as JSON, one a line.",
        discussion: "lamplighter events tail --app demo --type 'device.*' --follow"
    )
    static let operation = "readEvents"

    @Option(help: "The app's id.")
    var app: String

    @Option(help: "A type such as device.alert, or a group such as device.* (default: all but device.status).")
    var type: [String] = []

    @Option(help: "Print events behind this one: now, start, or an event's id.")
    var after = "start"

    @Flag(help: "Wait for further events until interrupted.")
    var follow = false

    @OptionGroup(title: "Common options") var common: CommonOptions

    func query(after place: String) -> [String: String?] {
        ["appId": app, "types": type.isEmpty ? nil : type.joined(separator: ","), "after": place, "limit": "1000"]
    }

    var query: [String: String?] { query(after: after) }

    func show(_ answer: JSONObject, in place: CommandContext) async throws {
        var answer = answer
        while true {
            for event in answer.items { Terminal.show(line: String(decoding: event.encoded(), as: UTF8.self)) }
            let isMore = answer["more"]?.boolValue == true
            guard isMore || follow else { return }
            if !isMore { try await Task.sleep(for: .seconds(1)) }
            answer = try await place.run(Self.operation, query: query(after: answer.text("cursor")))
        }
    }
}
