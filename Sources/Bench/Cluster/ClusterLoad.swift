import Glibc
import Load

/// Reports of many devices that all request answers, with a number under way for each device.
///
/// It runs in the thread that calls it.
final class ClusterLoad {
    private let connections: LoadConnections
    private let topics: [[UInt8]]
    private var stream = ReportStream(at: LoadClock.milliseconds)
    private var report: [UInt8] = []
    private let depth: Int
    private(set) var answered = 0

    /// Creates the load without connecting.
    init(devices: [LoadDevice], depth: Int, root: String) {
        connections = LoadConnections(
            devices.map { .init(login: $0.login, filters: ["\(root)/device/\($0.did)/response"]) }
        )
        topics = devices.map { Array("\(root)/device/\($0.did)/report".utf8) }
        self.depth = depth
    }

    /// Connects all devices and begins to report.
    ///
    /// - Throws: `LoadError`.
    func connect(port: Int) throws(LoadError) {
        try connections.connect(port: port) { _, _, _ in }
        for place in topics.indices {
            for _ in 0..<depth { send(place) }
            connections.flush(place)
        }
    }

    /// Disconnects all devices.
    func disconnect() { connections.disconnect() }

    /// Runs until every device has had answers, so that arrivals are processed and statements
    /// prepared.
    ///
    /// - Throws: `LoadError` if that takes more than a minute.
    func warmUp() throws(LoadError) {
        let stopwatch = Stopwatch()
        let wanted = answered + 2 * depth * topics.count
        while answered < wanted {
            guard stopwatch.seconds < 60 else {
                throw .timeout("\(answered) of \(wanted) reports are answered after a minute")
            }
            try turn()
        }
    }

    /// Runs for a time.
    ///
    /// - Throws: `LoadError` if a connection ends, or nothing moves for ten seconds.
    func run(seconds: Double) throws(LoadError) {
        let stopwatch = Stopwatch()
        var watch = LoadWatch()
        while stopwatch.seconds < seconds {
            try turn()
            try watch.look(answered)
        }
    }

    private func turn() throws(LoadError) {
        try connections.turn(milliseconds: 1) { place, _, _ in
            answered += 1
            send(place)
            connections.flush(place)
        }
        // This lets many answers be read at once: the load shares the machine with the measured
        // processes.
        usleep(1000)
    }

    private func send(_ place: Int) {
        stream.write(
            at: LoadClock.milliseconds,
            id: "n\(stream.next)",
            into: &report
        )
        connections.queue(place, topic: topics[place], payload: report)
    }
}
