import Administration
import ArgumentParser
import Domain
import JSON
import Problems
import Storage

/// `operator add`: adds an operator, and prints the first link.
struct OperatorAddCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add an operator of the console, and print a one-time link.",
        discussion: """
            lamplighter operator add anna --role operator

            viewer sees everything, with addresses masked, and changes nothing; operator controls devices, ends
            sessions, replays messages; admin has secrets, erases, and manages operators.
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

/// `operator link`: prints a new one-time link.
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

/// `console`: prints a new one-time link for the first operator.
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
