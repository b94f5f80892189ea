import Glibc
import Load

/// Reports from many devices over one broker, with at most a window of them under way.
///
/// It runs in the thread that calls it. The reports' consumer provides the number done through `consumed`; the service
/// does so by answering one report in `markEvery`, which carries an id.
final class ReportLoad {
    private let devices: Int
    private let connections: LoadConnections
    private let topics: [[UInt8]]
    private var stream = ReportStream(at: LoadClock.milliseconds)
    private var report: [UInt8] = []
    private var order = 0
    /// A report that was sent.
    private struct Sent {
        /// The time at which it was sent, in nanoseconds.
        var at: Int64 = 0
        var device = 0
        /// The number of reports that its device had sent, including it.
        var count = 0
    }

    /// The last reports by sequence, in a ring.
    private var reports = [Sent](repeating: Sent(), count: 1 << 18)
    /// The number of reports that each device has sent.
    private var counts: [Int]
    /// The number of each device's reports for which a terminal has received a status.
    private var told: [Int]

    private(set) var sent = 0
    /// The number of `sent` reports that the service's answers cover.
    private(set) var marked = 0
    /// The number of `sent` reports that the terminals know, from their own status or from a later one of the same
    /// device.
    ///
    /// The service replaces statuses that are a second old. Retained ones of an earlier load don't count.
    private(set) var delivered = 0
    /// The milliseconds from a device's publish to a terminal's receipt, recorded while `isTiming`.
    private(set) var delays: [Double] = []
    var isTiming = false

    /// The interval between reports that request a response from the service.
    static let markEvery = 100
    /// The number of reports that a device sends in one go.
    static let burst = 4
    private static let napMicroseconds: UInt32 = 1000

    init(devices: [LoadDevice], terminals: [LoadTerminal], root: String) {
        self.devices = devices.count
        counts = [Int](repeating: 0, count: devices.count)
        told = counts
        connections = LoadConnections(
            devices.map { .init(login: $0.login, filters: ["\(root)/device/\($0.did)/response"]) }
                + terminals.map { .init(login: $0.login(), filters: ["\(root)/user/\($0.uid)/#"]) }
        )
        topics = devices.map { Array("\(root)/device/\($0.did)/report".utf8) }
    }

    /// Connects all devices and terminals.
    ///
    /// - Returns: The authenticated connections a second.
    /// - Throws: `LoadError` for the first refusal.
    func connect(port: Int) throws(LoadError) -> Double { try connections.connect(port: port, take) }

    /// Disconnects all devices and terminals.
    func disconnect() { connections.disconnect() }

    /// Sends as much as the window allows until the time is over.
    ///
    /// - Parameters:
    ///   - seconds: The duration.
    ///   - window: The most reports under way.
    ///   - consumed: Returns how many of `sent` are done, by their consumer's count.
    ///   - meanwhile: Does other work between sends; false ends the flood early.
    /// - Throws: `LoadError` if a connection ends or nothing moves for ten seconds.
    func flood(
        seconds: Double,
        window: Int,
        consumed: () -> Int,
        meanwhile: () throws(LoadError) -> Bool = { true }
    ) throws(LoadError) {
        let stopwatch = Stopwatch()
        var watch = LoadWatch()
        while stopwatch.seconds < seconds, try meanwhile() {
            let done = consumed()
            try watch.look(done)
            send(upTo: window - (sent - done))
            try turn(milliseconds: 1)
            // This lets the answers to a burst be read at once: the load shares the machine with the measured
            // processes, and should cost little beside them.
            usleep(Self.napMicroseconds)
        }
    }

    /// Sends at an even rate, without waiting for the consumer.
    ///
    /// - Throws: `LoadError` if a connection ends.
    func pace(seconds: Double, rate: Double) throws(LoadError) {
        let (before, stopwatch) = (sent, Stopwatch())
        while stopwatch.seconds < seconds {
            send(upTo: Int(stopwatch.seconds * rate) - (sent - before), burst: 1)
            try turn(milliseconds: 1)
        }
    }

    /// Waits until all reports sent are done.
    ///
    /// - Throws: `LoadError` if nothing moves for ten seconds.
    func drain(_ isDone: () -> Bool) throws(LoadError) {
        var watch = LoadWatch()
        while !isDone() {
            do throws(LoadError) {
                try watch.look(marked &+ delivered)
            } catch {
                throw .timeout(
                    "nothing has moved for 10 s: of \(sent) reports, those up to \(marked) are answered and "
                        + "\(delivered) have reached an app"
                )
            }
            try turn(milliseconds: 10)
        }
    }

    /// Sends a report that requests a response, which then covers all reports before it.
    ///
    /// With a full window, every device can have unconfirmed reports; this waits for the first device without any.
    ///
    /// - Throws: `LoadError` if a connection ends or nothing moves for ten seconds.
    func mark() throws(LoadError) {
        let before = sent
        try drain {
            send(upTo: 1, burst: 1, marks: true)
            return sent > before
        }
    }

    private func send(upTo count: Int, burst: Int = burst, marks: Bool = false) {
        var left = count
        let now = LoadClock.milliseconds
        for _ in 0..<devices where left > 0 {
            let device = order
            order = order + 1 == devices ? 0 : order + 1
            guard connections.isIdle(device) else { continue }
            for _ in 0..<min(burst, left) {
                sent += 1
                left -= 1
                let isMark = marks || sent % Self.markEvery == 0
                counts[device] += 1
                reports[stream.next & (reports.count - 1)] = Sent(
                    at: LoadClock.nanoseconds,
                    device: device,
                    count: counts[device]
                )
                // The id must differ from those of earlier loads, or the service would treat the report as a
                // repetition.
                stream.write(at: now, id: isMark ? "m\(sent)-\(stream.first)" : nil, into: &report)
                connections.queue(device, topic: topics[device], payload: report)
            }
            connections.flush(device)
        }
    }

    private func turn(milliseconds: Int32) throws(LoadError) { try connections.turn(milliseconds: milliseconds, take) }

    private func take(_ place: Int, _: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) {
        if place < devices { takeResponse(payload) } else { takeStatus(payload) }
    }

    private func takeResponse(_ payload: UnsafeRawBufferPointer) {
        // {"id":"m123-1000000000","ok":true,…
        guard let start = payload.firstIndex(of: UInt8(ascii: "m")) else { return }
        let digits = payload[(start + 1)...].prefix { (48...57).contains($0) }
        marked = max(marked, digits.reduce(0) { $0 * 10 + Int($1) - 48 })
    }

    private func takeStatus(_ payload: UnsafeRawBufferPointer) {
        guard let sequence = ReportStream.sequence(in: payload), stream.contains(sequence) else { return }
        let report = reports[sequence & (reports.count - 1)]
        delivered += max(0, report.count - told[report.device])
        told[report.device] = max(told[report.device], report.count)
        guard isTiming else { return }
        delays.append(Double(LoadClock.nanoseconds - report.at) / 1e6)
    }
}
