import ArgumentParser
import Domain
import Glibc
import JSON
import Service
import ServiceSettings

/// `refusals`: the gate's refusals, and with `--follow` new ones as they happen.
struct RefusalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refusals",
        abstract:
            "Show refused clients and connections with their reasons; see `lamplighter explain REASON`.",
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
            "Only this number of the newest stored refusals; with --follow, stop after this number."
    )
    var count: Int?

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func validate() throws {
        if let since, SpanText.seconds(since) == nil {
            throw ValidationError("--since takes a time such as 30s, 15m, 1h or 7d, not \(since)")
        }
        if let count, count < 1 { throw ValidationError("--count takes 1 or more") }
    }

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let seconds = since.flatMap(SpanText.seconds)
        guard follow else {
            let all = try RefusalWatch.stored(place.store, sinceSeconds: seconds)
            if all.isEmpty, !output.json { Terminal.tell("Nothing was refused.") }
            return all.suffix(count ?? .max).forEach(show)
        }
        Terminal.tell("Waiting for refusals; Ctrl-C stops.")
        try RefusalWatch.follow(
            place.store,
            root: place.settings.root,
            over: ToolClient(place.directory, place.settings),
            sinceSeconds: seconds,
            count: count,
            show: show
        )
    }

    private func show(_ refusal: JSONObject) {
        if output.json {
            Terminal.show(.object(refusal))
        } else {
            print(Self.line(refusal))
        }
        fflush(nil)
    }

    private static func line(_ refusal: JSONObject) -> String {
        func text(_ key: String) -> String {
            // Names come from strangers.
            let text = PlainText.of(refusal[key]?.stringValue ?? "")
            return text.isEmpty ? "-" : text
        }
        let at = refusal["ts"]?.intValue.map { Instant(milliseconds: $0) }
        let name = refusal["deviceName"] == nil ? "" : " (\(text("deviceName")))"
        let times = refusal["times"]?.intValue ?? 1
        return
            "\(TimeText.of(at))  \(text("reason"))\(times > 1 ? " (\(times) times)" : "")"
            + "  \(text("action"))  \(text("username"))\(name)  client \(text("clientId"))"
            + "  from \(text("address"))  \(text(refusal["detail"] == nil ? "topic" : "detail"))"
    }
}
