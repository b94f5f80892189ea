import ArgumentParser
import Bench

/// `lamplighter-bench cluster`: the gain from further processes.
struct BenchClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Measure what further processes on one PostgreSQL, some way away, add.",
        discussion: """
            lamplighter-bench cluster

            Needs PostgreSQL 15 and starts one of its own. The devices of a few lanes of each process report, \
            so that the way to the database bounds it and not this machine's processor.
            """
    )

    @Option(help: "Numbers of processes, with commas.")
    var processes = "1,2,4,8"

    @Option(help: "Milliseconds to the database and back.")
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
            throw ValidationError("--processes are numbers from 1 to 16, ascending.")
        }
        guard lanes * (counts.last ?? 1) <= 32, lanes > 0, devices >= 320 else {
            throw ValidationError("--lanes of all are at most 32, --devices at least 320.")
        }
        guard delay >= 0, batch > 0, depth > 0, rate > 0, seconds > 0, overlap > 0 else {
            throw ValidationError("every other number has to be larger than 0")
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
