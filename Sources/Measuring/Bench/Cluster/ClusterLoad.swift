import Load

/// A load in which many devices send reports, and every report requests an answer.
final class ClusterLoad: AnsweredLoad {
    private var stream = ReportStream(at: LoadClock.milliseconds)
    private let enough: Int

    /// Creates the load without connecting, with up to `depth` unanswered reports per device.
    init(devices: [LoadDevice], depth: Int, root: String) {
        enough = 2 * depth * devices.count
        super.init(
            devices.map { .init(login: $0.login, filters: ["\(root)/device/\($0.did)/response"]) },
            topics: devices.map { "\(root)/device/\($0.did)/report" },
            window: depth,
            napMicroseconds: 1000
        )
    }

    /// Begins to send reports, and returns once the devices have received, on average, `2 * depth` answers each.
    ///
    /// After this warm-up, the service has processed the devices' presence messages. It has also prepared its SQL
    /// statements.
    ///
    /// - Throws: `LoadError` if the answers take more than a minute.
    func warmUp() throws(LoadError) {
        let stopwatch = Stopwatch()
        send(isContinued: true)
        while answered < enough {
            guard stopwatch.seconds < 60 else {
                throw .timeout("\(answered) of \(enough) reports are answered after a minute")
            }
            try run(seconds: 0.05)
        }
    }

    override func write(_ index: Int, into payload: inout [UInt8]) {
        stream.write(at: LoadClock.milliseconds, id: "n\(stream.next)", into: &payload)
    }
}
