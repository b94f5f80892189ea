import ArgumentParser
import Bench

/// `bench overload`: more than the machine can do.
struct BenchOverloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "overload",
        abstract: "Measure the service while devices send more than the machine can handle.",
        discussion: "lamplighter bench overload"
    )

    @Option(parsing: .upToNextOption, help: "Devices that flood, in one measurement each.")
    var devices = [1, 3, 20, 300]

    @Option(help: "Devices that send at twice the machine's best; 0 leaves it out.")
    var many = 500

    @Option(help: "Seconds of each overload.")
    var seconds = 15.0

    @Option(help: "Minutes at 60 % of the best, the service frozen for 10 s; 0 leaves it out.")
    var minutes = 0.0

    @Flag(help: "Apply the limits for a single device, as by default; else there are none.")
    var limited = false

    @OptionGroup(title: "Common options") var output: OutputOptions

    func validate() throws {
        guard devices.allSatisfy({ $0 > 0 }), many >= 0, seconds >= 2 else {
            throw ValidationError("--devices is above 0, --many not below, --seconds at least 2.")
        }
        // After ten seconds of it a device's connection would be closed.
        guard !limited || seconds <= 7 else {
            throw ValidationError("--seconds is at most 7 with --limited.")
        }
        guard minutes == 0 || minutes >= 1 else {
            throw ValidationError("--minutes is 0 or at least 1.")
        }
    }

    func run() async throws {
        var options = BenchOverloadOptions()
        options.devices = devices
        options.many = many
        options.seconds = seconds
        options.minutes = minutes
        options.isLimited = limited
        let result = try await BenchOverload(options) { Terminal.tell($0) }.run()
        try output.finish(result)
    }
}
