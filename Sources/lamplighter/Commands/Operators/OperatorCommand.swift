import Administration
import ArgumentParser
import Domain
import Files
import JSON
import Problems
import Service
import ServiceSettings
import Storage
import Workers

/// The commands `operator …` about the operators of the console.
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator",
        abstract: "Add, list and revoke operators of the console, and make links and tokens.",
        discussion: "lamplighter operator list",
        subcommands: [
            OperatorAddCommand.self, OperatorLinkCommand.self, OperatorListCommand.self, OperatorRevokeCommand.self,
            OperatorTokenCommand.self,
        ]
    )
}

extension OperatorRole: ExpressibleByArgument {}

extension CommandContext {
    /// Returns the operator with a name, or throws a `Problem` if there is none.
    func oneOperator(_ name: String) throws -> Operator {
        if let found = try store.read({ try $0.operators.find(name) }) { return found }
        throw missing("operator", name)
    }

    /// The address of the console: that of the running service, or else the configured one.
    var consoleURL: String {
        ReadyFile.read(directory)?["consoleUrl"]?.stringValue
            ?? settings.consoleURL ?? "http://\(settings.consoleHost):\(settings.consolePort)"
    }
}

extension AuditEntry {
    /// Returns the audit entry of an action that was taken on the command line.
    static func act(_ name: String, subject: String) -> AuditEntry {
        var entry = AuditEntry(kind: .operatorAct, uid: nil, app: nil, actor: Actor(.operator, "cli"), detail: name)
        entry.subject = subject
        return entry
    }
}

/// The command `operator add`, which adds an operator and prints a one-time link.
struct OperatorAddCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add an operator of the console, and print a one-time link.",
        discussion: """
            lamplighter operator add anna --role operator

            viewer sees everything, with addresses masked, and changes nothing; operator controls devices, ends
            sessions, replays messages; admin also sees secrets, erases data, and manages operators.
            """
    )
    static let operation = "addOperator"

    @Argument(help: "The operator's name.")
    var name: String

    @Option(help: "viewer, operator or admin.")
    var role: OperatorRole

    @OptionGroup(title: "Common options") var common: CommonOptions

    var body: JSONObject { ["name": .string(name), "role": .string(role.rawValue)] }

    func answer(in place: CommandContext) async throws -> JSONObject {
        try await place.run(
            Self.operation,
            body: body,
            isNoted: true,
            cure: .init("lamplighter operator link \(name)", "make another link")
        )
    }

    func show(_ answer: JSONObject, in place: CommandContext) { Terminal.show(link: answer) }
}

/// The command `operator link`, which prints a new one-time link for an operator.
struct OperatorLinkCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Print a one-time link that signs an operator in.",
        discussion: "lamplighter operator link anna"
    )
    static let operation = "makeLink"
    static let isNoted = true

    @Argument(help: "The operator's name.")
    var name: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    var path: [String: String] { ["name": name] }

    func show(_ answer: JSONObject, in place: CommandContext) { Terminal.show(link: answer) }
}

/// The command `console`, which prints a new one-time link to the console for an admin.
struct ConsoleCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Print a one-time link to the console, as admin.",
        discussion: """
            lamplighter console

            Anyone who can read the data directory can do everything anyway. For others, use `operator add`.
            """
    )
    static let operation = "makeLink"

    @OptionGroup(title: "Common options") var common: CommonOptions

    func answer(in place: CommandContext) async throws -> JSONObject {
        let name = OperatorLink.firstName
        guard try place.store.read({ try $0.operators.find(name) }) == nil else {
            return try await place.run(Self.operation, ["name": name], isNoted: true)
        }
        let admin: JSONObject = ["name": .string(name), "role": "admin"]
        return try await place.run("addOperator", body: admin, isNoted: true)
    }

    func show(_ answer: JSONObject, in place: CommandContext) { Terminal.show(link: answer) }
}

extension Terminal {
    /// Prints a one-time link.
    fileprivate static func show(link: JSONObject) {
        show(line: link.text("url"))
        let name = "\(link.text("operator")) (\(link.text("role")))"
        tell("Signs in \(name); works once, for 30 minutes.")
    }
}

/// The command `operator list`, which shows the operators and how many sessions and tokens they have.
struct OperatorListCommand: ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the operators with their numbers of sessions and tokens.",
        discussion: "lamplighter operator list"
    )
    static let operation = "listOperators"

    @OptionGroup(title: "Common options") var common: CommonOptions

    static let columns = [
        Column("OPERATOR", "name"), Column("ROLE", "role"),
        Column("PASSWORD", "hasPassword"), Column("SESSIONS", "sessions"),
        Column("TOKENS", "tokens"), .moment("LAST SEEN", "lastSeenAt"),
    ]
}

/// The command `operator revoke`, which ends an operator's sessions and links, or deletes the operator and all tokens.
struct OperatorRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "End an operator's sessions and links; with --remove, also remove the tokens and the operator.",
        discussion: """
            lamplighter operator revoke anna
            lamplighter operator revoke anna --remove
            """
    )

    @Argument(help: "The operator's name.")
    var name: String

    @Flag(help: "Remove the operator, with all tokens.")
    var remove = false

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let found = try place.oneOperator(name)
        let count = try place.store.batch(at: SystemClock().now, once: true) { tx in
            let count = try tx.operators.revoke(found.name)
            if remove { _ = try tx.operators.remove(found.name) }
            let act = remove ? "removeOperator" : "revokeOperator"
            try tx.audit.add(.act(act, subject: "operator \(found.name)"))
            return count
        }
        if output.json {
            return Terminal.show(json: ["count": count, "removed": remove])
        }
        print(
            "\(count) sessions of \(found.name) ended\(remove ? "; the operator is removed" : "")"
        )
    }
}
