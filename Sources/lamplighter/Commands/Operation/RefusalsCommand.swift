import Administration
import ArgumentParser
import Domain
import Glibc
import JSON
import Service
import ServiceSettings
import Storage

/// The command `refusals`, which shows the gate's refusals, and with `--follow` also new ones as they happen.
struct RefusalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refusals",
        abstract: "Show refused clients and connections with their reasons; see `lamplighter explain REASON`.",
        discussion: "lamplighter refusals"
    )

    @Option(
        help: ArgumentHelp(
            "Only refusals within this time, such as 30s, 15m, 1h, 7d.",
            valueName: "time"
        )
    )
    var since: String?

    @Flag(help: "Continue with new refusals as they happen; Ctrl-C stops.")
    var follow = false

    @Option(
        help:
            "Maximum number of stored refusals, the newest; with --follow, stop after this number."
    )
    var count: Int?

    @OptionGroup(title: "Common options") var common: CommonOptions

    func validate() throws {
        if let since, SpanText.seconds(since) == nil {
            throw ValidationError("--since takes a time such as 30s, 15m, 1h or 7d, not \(since)")
        }
        if let count, count < 1 { throw ValidationError("--count takes 1 or more") }
    }

    func run() async throws {
        let place = try await CommandContext.open(common.settings)
        let seconds = since.flatMap(SpanText.seconds)
        guard follow else {
            let all = try RefusalWatch.stored(place.store, sinceSeconds: seconds)
            if all.isEmpty, !common.output.json { Terminal.tell("Nothing was refused.") }
            return try all.suffix(count ?? .max).forEach { try show($0, $1, in: place.store) }
        }
        Terminal.tell("Waiting for refusals; Ctrl-C stops.")
        try RefusalWatch.follow(
            place.store,
            root: place.settings.root,
            over: ToolClient(place.directory, place.settings),
            sinceSeconds: seconds,
            count: count
        ) { id, refusal in
            try show(id, refusal, in: place.store)
        }
    }

    private func show(_ id: Int64?, _ refusal: ClientRefusal, in store: Store) throws {
        let row = try store.read { try RefusalView.row(id, refusal, in: $0) }
        if common.output.json { Terminal.show(.object(row)) } else { print(Self.line(row)) }
        fflush(nil)
    }

    private static func line(_ row: JSONObject) -> String {
        // Names in refusals come from strangers, so they are escaped.
        func text(_ key: String) -> String { PlainText.of(row.text(key)) }
        let name = row["deviceName"] == nil ? "" : " (\(text("deviceName")))"
        let times = row.integer("times")
        return
            "\(row.moment("at"))  \(text("reason"))\(times > 1 ? " (\(times) times)" : "")"
            + "  \(text("action"))  \(text("username"))\(name)  client \(text("clientId"))"
            + "  from \(text("address"))  \(text(row["detail"] == nil ? "topic" : "detail"))"
    }
}
