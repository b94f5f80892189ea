import Administration
import JSON

extension EventsListCommand {
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

extension EventsSeekCommand {
    var body: JSONObject { ["cursor": Int64(place).map { .integer($0) } ?? .string(place)] }
}

extension EventsPauseCommand {
    var body: JSONObject { ["state": "paused"] }
}

extension EventsResumeCommand {
    var body: JSONObject { ["state": "on"] }
}

extension EventsTailCommand {
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
