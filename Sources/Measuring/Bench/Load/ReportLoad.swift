import Glibc
import Load

/// A load of reports from many devices, with a limit on unprocessed reports.
///
/// The load runs in the thread that calls it. The closure `consumed` returns how many reports the consumer has
/// processed. If the consumer is the service, `consumed` takes this number from the service's answers. One in every
/// `markEvery` reports carries an id. The service answers only reports with an id.
final class ReportLoad {
    private let devices: Int
    private let connections: LoadConnections
    private let topics: [[UInt8]]
    private var stream = ReportStream(at: LoadClock.milliseconds)
    private var report: [UInt8] = []
    private var order = 0
    private struct Sent {
        /// The time at which the report was sent, in nanoseconds of `LoadClock`.
        var at: Int64 = 0
        var device = 0
        /// The number of reports that the device had sent, up to and including this report.
        var count = 0
    }

    /// A ring buffer of the last reports, indexed by their sequence numbers.
    private var reports = [Sent](repeating: Sent(), count: 1 << 18)
    /// The number of reports that each device has sent.
    private var counts: [Int]
    /// For each device, the number of its reports that count in `delivered`.
    private var told: [Int]

    private(set) var sent = 0
    /// The number of sent reports that the service's answers confirm.
    private(set) var marked = 0
    /// The number of reports for which a terminal has received the status or a later status.
    ///
    /// The service can replace an unsent status with a newer status of the same device. The newer status then covers
    /// both reports. Retained statuses of an earlier load don't count.
    private(set) var delivered = 0
    /// How many milliseconds reports took to reach a terminal, recorded while `isTiming` is true.
    private(set) var delays: [Double] = []
    var isTiming = false

    /// Each report whose number is a multiple of this value requests a response from the service.
    static let markEvery = 100
    /// The number of reports that a device sends at once.
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
    /// - Returns: The number of connections that the broker authenticated per second.
    /// - Throws: `LoadError` if a connection or a subscription fails, or if no answer arrives for ten seconds.
    func connect(port: Int) throws(LoadError) -> Double { try connections.connect(port: port, take) }

    /// Disconnects all devices and terminals.
    func disconnect() { connections.disconnect() }

    /// Sends as many reports as the window allows, for a number of seconds.
    ///
    /// - Parameters:
    ///   - seconds: The duration.
    ///   - window: The maximum number of reports that are sent but not yet processed.
    ///   - consumed: Returns how many of the sent reports the consumer has processed.
    ///   - meanwhile: Does other work between sends. If it returns false, the flood ends early.
    /// - Throws: `LoadError` if a connection ends, or if no report is processed for ten seconds.
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
            // After a short sleep, one read gets all answers to a burst. This saves processor time.
            usleep(Self.napMicroseconds)
        }
    }

    /// Sends reports at an even rate, without waiting for the consumer.
    ///
    /// - Throws: `LoadError` if a connection ends.
    func pace(seconds: Double, rate: Double) throws(LoadError) {
        let (before, stopwatch) = (sent, Stopwatch())
        while stopwatch.seconds < seconds {
            send(upTo: Int(stopwatch.seconds * rate) - (sent - before), burst: 1)
            try turn(milliseconds: 1)
        }
    }

    /// Handles packets until `isDone` returns true.
    ///
    /// - Throws: `LoadError` if a connection ends, or if no answer or status arrives for ten seconds.
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

    /// Sends a report with an id, so that the service's answer also confirms all earlier reports.
    ///
    /// If all devices have unconfirmed reports, the function waits for one device's confirmations.
    ///
    /// - Throws: `LoadError` if a connection ends, or if no answer or status arrives for ten seconds.
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
                let entry = Sent(at: LoadClock.nanoseconds, device: device, count: counts[device])
                reports[stream.next & (reports.count - 1)] = entry
                // The id contains the stream's first sequence number. It thus differs from all ids of earlier loads.
                // The service would treat a report with a known id as a repetition.
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
