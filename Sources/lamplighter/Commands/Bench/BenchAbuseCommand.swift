import ArgumentParser
import Bench

/// `bench abuse`: the effect of hostile clients on all others.
struct BenchAbuseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "abuse",
        abstract: "Measure the effect of hostile clients on all others, with the default limits.",
        discussion: """
            lamplighter bench abuse

            One attack at a time beside honest clients, then as much work of the processor without \
            a connection. Ends with 1 where others were delayed, lost or refused, an intruder \
            stayed, or memory and disk grew too much; with --control where an attack did no harm.
            """
    )

    @Option(help: "Only attacks whose names begin with this, as A2.")
    var attack = ""

    @Option(help: "Seconds of each attack.")
    var seconds = 10.0

    @Option(
        help:
            "Factor for all times, as for a debug build; 1 is the goal."
    )
    var slower = 1.0

    @Option(help: "Tries of an attack that missed only a time.")
    var tries = 1

    @Flag(help: "Switch off the limits that stop each attack: it must do harm then.")
    var control = false

    @Flag(help: "One attack of each kind.")
    var short = false

    @OptionGroup(title: "Common options") var output: OutputOptions

    func validate() throws {
        guard seconds >= 2 else { throw ValidationError("--seconds is at least 2.") }
        guard slower >= 1, tries >= 1 else {
            throw ValidationError("--slower and --tries are at least 1.")
        }
    }

    func run() async throws {
        var options = BenchAbuseOptions()
        options.attack = attack
        options.seconds = seconds
        options.slower = slower
        options.tries = tries
        options.isControl = control
        options.isShort = short
        let result = try await BenchAbuse(options) { Terminal.tell($0) }.run()
        try output.finish(result)
    }
}

/// `bench hostile`: what `bench abuse` and `bench overload` start; not for people.
struct BenchHostileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "hostile", shouldDisplay: false)

    @Option var orders: String

    func run() throws { Terminal.show(try Hostile(path: orders).run()) }
}
