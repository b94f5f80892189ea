import ArgumentParser
import Console
import Domain
import Problems
import Storage

/// `operator add`: adds an operator, and prints the first link.
struct OperatorAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add an operator of the console, and print a one-time link.",
        discussion: """
            lamplighter operator add anna --role operator

            viewer sees everything, with addresses masked, and changes nothing; operator controls devices, ends
            sessions, replays messages; admin has secrets, erases, and manages operators.
            """
    )

    @Argument(help: "The operator's name.")
    var name: String

    @Option(help: "viewer, operator or admin.")
    var role: OperatorRole

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        guard try place.store.read({ try $0.operators.find(name) }) == nil else {
            throw Problem(
                .conflict,
                "operator \(name) already exists",
                at: name,
                why: "names are unique",
                cures: [.init("lamplighter operator link \(name)", "make another link")]
            )
        }
        place.show(try place.makeLink(of: name, role: role, act: "addOperator"), output)
    }
}

/// `operator link`: prints a new one-time link.
struct OperatorLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Print a one-time link that signs an operator in.",
        discussion: "lamplighter operator link anna"
    )

    @Argument(help: "The operator's name.")
    var name: String

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let found = try place.oneOperator(name)
        place.show(try place.makeLink(of: name, role: found.role, act: "makeLink"), output)
    }
}

/// `console`: prints a new one-time link for the first operator.
struct ConsoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Print a one-time link to the console, as admin.",
        discussion: """
            lamplighter console

            Anyone who can read the data directory can do everything anyway. For others, use `operator add`.
            """
    )

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let link = try place.makeLink(of: OperatorLink.firstName, role: .admin, act: "makeLink")
        place.show(link, output)
    }
}
