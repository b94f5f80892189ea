import ArgumentParser
import Domain
import JSON
import Storage

/// `user audit`: the audit trail of an account.
struct UserAuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show the audit trail of a user, newest first; without an id, of all users.",
        discussion: "lamplighter user audit u-0123456789abc"
    )

    @Argument(help: "The user's id; may be that of an erased user.")
    var uid: String?

    @Option(help: "Maximum number of entries, 1 to 10000.")
    var limit = 100

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else {
            throw ValidationError("--limit takes 1 to 10000, not \(limit)")
        }
        guard uid.map({ UserID($0) != nil }) ?? true else {
            throw ValidationError("\(uid ?? "") is not a user's id")
        }
    }

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let entries = try place.store.read { tx in
            try tx.audit.newest(of: uid.flatMap { UserID($0) }, limit: limit)
        }
        if output.json { return Terminal.show(.array(entries.map(Self.json))) }
        var table = TextTable(["TIME", "WHAT", "USER", "BY", "TERMINAL", "DETAIL"])
        for entry in entries {
            table.add([
                TimeText.of(entry.at), entry.kind.rawValue, entry.uid?.text ?? "-",
                "\(entry.actor.kind.rawValue) \(entry.actor.id)", entry.terminal?.text ?? "-",
                entry.detail ?? "-",
            ])
        }
        print(table.text)
    }

    private static func json(_ entry: AuditEntry) -> JSONValue {
        .object([
            "at": .integer(entry.at.milliseconds), "kind": .string(entry.kind.rawValue),
            "uid": entry.uid.map { .string($0.text) },
            "appId": entry.app.map { .string($0.text) },
            "actor": .object([
                "kind": .string(entry.actor.kind.rawValue),
                "id": .string(entry.actor.id),
                "terminalId": entry.actor.terminal.map { .string($0.text) },
            ]),
            "terminalId": entry.terminal.map { .string($0.text) },
            "detail": entry.detail.map { .string($0) },
        ])
    }
}
