import ArgumentParser
import Bench

/// `lamplighter-bench cluster`: the gain from further processes.
struct BenchClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Measure what more processes add on one PostgreSQL, at some network distance.",
        discussion: """
            lamplighter-bench cluster

            Needs PostgreSQL 15 and starts its own instance. The devices of a few lanes of each process report, \
            so that the distance to the database is the bottleneck and not this machine's processor.
            """
    )

    @Option(help: "Numbers of processes, separated by commas.")
    var processes = "1,2,4,8"

    @Option(help: "Delay to the database and back, in milliseconds.")
    var delay = 5.0

    @Option(help: "Lanes of each process whose devices report.")
    var lanes = 4

    @Option(help: "Messages in a batch.")
    var batch = 10

    @Option(help: "Devices that report.")
    var devices = 640

    @Option(help: "Reports of each device under way.")
    var depth = 4

    @Option(help: "Commands a second.")
    var rate = 20.0

    @Option(help: "Seconds of each measurement.")
    var seconds = 10.0

    @Option(help: "Seconds of transactions that lock overlapping devices.")
    var overlap = 60.0

    @OptionGroup(title: "Common options") var output: BenchOutput

    private var counts: [Int] { processes.split(separator: ",").compactMap { Int($0) } }

    func validate() throws {
        let isAscending = counts == counts.sorted()
        guard !counts.isEmpty, counts.allSatisfy({ (1...16).contains($0) }), isAscending else {
            throw ValidationError("--processes takes ascending numbers from 1 to 16.")
        }
        guard lanes * (counts.last ?? 1) <= 32, lanes > 0, devices >= 320 else {
            throw ValidationError(
                "--lanes of all processes together are at most 32, --devices at least 320."
            )
        }
        guard delay >= 0, batch > 0, depth > 0, rate > 0, seconds > 0, overlap > 0 else {
            throw ValidationError("every other number must be greater than 0")
        }
    }

    func run() async throws {
        var options = BenchClusterOptions()
        options.processes = counts
        options.delayMilliseconds = delay
        options.lanes = lanes
        options.batch = batch
        options.devices = devices
        options.depth = depth
        options.rate = rate
        options.seconds = seconds
        options.overlapSeconds = overlap
        try await output.finish { try await BenchCluster(options) { BenchOutput.tell($0) }.run() }
    }
}
