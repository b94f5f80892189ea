import ArgumentParser
import Bench

/// `lamplighter-bench reports`: the main path against its upper bounds.
struct BenchReportsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reports",
        abstract:
            "Measure reports a second, and latencies, against a plain subscriber and a relay.",
        discussion: "lamplighter-bench reports"
    )

    @Option(help: "Devices that report.")
    var devices = 1000

    @Option(help: "App terminals that read.")
    var terminals = 10

    @Option(help: "Devices in the store for the second part; 0 skips it.")
    var stored = 100_000

    @Option(help: "Rounds; results are medians.")
    var rounds = 3

    @Option(help: "Seconds of each measurement.")
    var seconds = 5.0

    @Option(help: "Maximum number of reports under way.")
    var window = 4000

    @OptionGroup(title: "Common options") var output: BenchOutput

    func run() async throws {
        var options = BenchReportsOptions()
        options.devices = devices
        options.terminals = terminals
        options.stored = stored
        options.rounds = rounds
        options.seconds = seconds
        options.window = window
        try await output.finish { try await BenchReports(options) { BenchOutput.tell($0) }.run() }
    }
}

/// `lamplighter-bench accounts`: requests, and logins beside reports.
struct BenchAccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Measure requests a second, and reports while many users log in.",
        discussion: "lamplighter-bench accounts"
    )

    @Option(help: "App terminals that send requests.")
    var terminals = 100

    @Option(help: "Users that log in at once.")
    var logins = 200

    @Option(help: "Devices that report meanwhile.")
    var devices = 1000

    @Option(help: "Rounds; results are medians.")
    var rounds = 3

    @Option(help: "Seconds of each measurement.")
    var seconds = 4.0

    @OptionGroup(title: "Common options") var output: BenchOutput

    func run() async throws {
        var options = BenchAccountsOptions()
        options.terminals = terminals
        options.logins = logins
        options.devices = devices
        options.rounds = rounds
        options.seconds = seconds
        try await output.finish { try await BenchAccounts(options) { BenchOutput.tell($0) }.run() }
    }
}

/// `lamplighter-bench consume`: the consumer that `reports` starts, and compares with.
struct BenchConsumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "consume", shouldDisplay: false)

    @Argument var kind: String
    @Option var port: Int
    @Option var username: String
    @Option var passwordFile: String
    @Option var counter: String
    @Option var root: String
    @Option var statusBytes: Int
    @Option var users: String

    func run() throws {
        guard let kind = BenchConsumer.Kind(rawValue: kind) else {
            throw ValidationError("no such consumer")
        }
        try BenchConsumer(
            kind: kind,
            port: port,
            username: username,
            passwordFile: passwordFile,
            counterFile: counter,
            root: root,
            statusBytes: statusBytes,
            users: users.split(separator: ",").map(String.init)
        ).run()
    }
}
