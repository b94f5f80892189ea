import Glibc
import Load

/// A phase of the benchmark, in which one kind of consumer receives the reports.
enum BenchPhase: String, Sendable, CaseIterable {
    case plain = "A"
    case received = "A*"
    case relay = "B"
    case unbound = "C"
    case bound = "D"

    var title: String {
        switch self {
        case .plain: "A: plain libmosquitto subscriber, does nothing"
        case .received: "A*: the same, but a report counts as soon as it is received"
        case .relay: "B: relay in batches, no store"
        case .unbound: "C: Lamplighter, the devices are not bound"
        case .bound: "D: Lamplighter, each device bound to one app"
        }
    }

    /// The consumer that replaces the service, or nil if the service itself receives the reports.
    var consumer: BenchConsumer.Kind? {
        switch self {
        case .plain: .plain
        case .received: .received
        case .relay: .relay
        case .unbound, .bound: nil
        }
    }

    var isService: Bool { consumer == nil }

    /// Whether the consumer publishes statuses that app terminals receive.
    var hasReaders: Bool { self == .relay || self == .bound }
}

/// A running phase: the consumer's process, and the load that sends reports to the consumer.
struct BenchRig: RunningPart {
    let phase: BenchPhase
    let field: BenchField
    let consumer: BenchProcess
    let load: ReportLoad
    /// The number of connections that the broker authenticated per second while the load's clients connected.
    let connectsPerSecond: Double
    private let counter: SharedCounter?

    /// The default limit on sent but unprocessed reports from all devices together.
    static let window = 4000

    /// Starts the consumer, then connects the devices and terminals of the load.
    ///
    /// - Throws: `LoadError`, `MosquittoError` or the system's error.
    init(_ phase: BenchPhase, _ field: BenchField) async throws {
        (self.phase, self.field) = (phase, field)
        unlink(field.counterFile)
        counter = phase.isService ? nil : try SharedCounter(path: field.counterFile)
        consumer = try await BenchProcess.start(phase.consumer, field)
        let devices = phase == .unbound ? field.seed.unbound : field.seed.bound
        load = ReportLoad(devices: devices, terminals: field.seed.terminals, root: field.root)
        connectsPerSecond = try load.connect(port: field.port)
    }

    /// The number of reports that the consumer has processed.
    var done: Int { counter?.value ?? load.marked }

    /// Floods the consumer with reports and measures its throughput.
    ///
    /// - Returns: The number of reports processed per second, without the first second, which is a warm-up.
    /// - Throws: `LoadError`.
    func throughput(seconds: Double, window: Int = Self.window) throws -> Double {
        try settle()
        try load.flood(seconds: 1, window: window) { consumed(window) }
        let (before, stopwatch) = (done, Stopwatch())
        try load.flood(seconds: seconds, window: window) { consumed(window) }
        let elapsed = stopwatch.seconds
        let rate = Double(done - before) / elapsed
        try finish()
        return rate
    }

    /// Sends reports at an even rate, and measures how long each status takes to reach an app.
    ///
    /// - Returns: The times in milliseconds.
    /// - Throws: `LoadError`.
    func latency(seconds: Double, rate: Double) throws -> [Double] {
        try settle()
        try load.pace(seconds: 1, rate: rate)
        let earlier = load.delays.count
        load.isTiming = true
        try load.pace(seconds: seconds, rate: rate)
        load.isTiming = false
        let delays = Array(load.delays[earlier...])
        guard !delays.isEmpty else { throw LoadError.failed("no status reached an app") }
        try finish()
        return delays
    }

    /// Returns the number of reports that the load may treat as processed.
    ///
    /// If terminals receive statuses, the number is at most the number of delivered reports plus `window`. Without this
    /// limit, the broker's queues for the terminals would overflow.
    private func consumed(_ window: Int) -> Int { phase.hasReaders ? min(done, load.delivered + window) : done }

    private func settle() throws {
        guard phase.isService else { return }
        try load.mark()
        try load.drain { done >= load.sent }
    }

    /// Waits for all reports and statuses, so that the next measurement isn't disturbed.
    private func finish() throws {
        if phase.isService { try load.mark() }
        try load.drain { done >= load.sent && (!phase.hasReaders || load.delivered >= load.sent) }
    }

    /// Disconnects the load and stops the consumer.
    func stop() async {
        load.disconnect()
        await consumer.stop()
    }
}
