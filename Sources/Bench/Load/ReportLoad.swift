import Glibc
import Load

/// Reports from many devices over one broker, with never more under way than a window holds.
///
/// It runs in the thread that calls it. The consumer of the reports tells how many it has done, through
/// `consumed`; the service does so by answering one report in `markEvery`, which carries an id.
final class ReportLoad {
    private let devices: Int
    private let connections: LoadConnections
    private let topics: [[UInt8]]
    private var stream = ReportStream(at: LoadClock.milliseconds)
    private var report: [UInt8] = []
    private var order = 0
    /// A report that left.
    private struct Sent {
        /// When it left, in nanoseconds.
        var at: Int64 = 0
        var device = 0
        /// How many its device had sent with it.
        var count = 0
    }

    /// The last reports, by their sequence; a ring.
    private var reports = [Sent](repeating: Sent(), count: 1 << 18)
    /// How many reports each device has sent.
    private var counts: [Int]
    /// Of these, how many a terminal has been told of.
    private var told: [Int]

    private(set) var sent = 0
    /// Of `sent`, how many the service has answered for.
    private(set) var marked = 0
    /// Of `sent`, how many the terminals know of, by a status made of it or by a later one of its device.
    ///
    /// The service replaces statuses that have waited for a second. Retained ones of an earlier load don't count.
    private(set) var delivered = 0
    /// Nanoseconds from a device's publish to a terminal's receipt, while `isTiming`.
    private(set) var delays: [Int64] = []
    var isTiming = false

    /// One report in so many asks the service for a response.
    static let markEvery = 100
    /// Reports that a device sends in one go.
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
    /// - Returns: Connections a second, each of them authenticated.
    /// - Throws: `LoadError` with the first refusal.
    func connect(port: Int) throws(LoadError) -> Double {
        try connections.connect(port: port, take)
    }

    /// Disconnects all.
    func disconnect() { connections.disconnect() }

    /// Sends as much as the window allows until the time is over.
    ///
    /// - Parameters:
    ///   - seconds: How long.
    ///   - window: Reports under way at most.
    ///   - consumed: Returns how many of `sent` are done, by the count of their consumer.
    ///   - meanwhile: Does something else for a moment; false ends the flood early.
    /// - Throws: `LoadError` when a connection ends or nothing moves for ten seconds.
    func flood(
        seconds: Double,
        window: Int,
        consumed: () -> Int,
        meanwhile: () throws(LoadError) -> Bool = { true }
    ) throws(LoadError) {
        let end = LoadClock.nanoseconds + Int64(seconds * 1e9)
        var watch = LoadWatch()
        while LoadClock.nanoseconds < end, try meanwhile() {
            let done = consumed()
            try watch.look(done)
            send(upTo: window - (sent - done))
            try turn(milliseconds: 1)
            // The answers to a burst are then read at once: the load shares the machine with what it
            // measures, and should cost little beside it.
            usleep(Self.napMicroseconds)
        }
    }

    /// Sends at an even rate, whatever happens to it.
    ///
    /// - Throws: `LoadError` when a connection ends.
    func pace(seconds: Double, rate: Double) throws(LoadError) {
        let start = LoadClock.nanoseconds
        let before = sent
        while true {
            let elapsed = Double(LoadClock.nanoseconds - start) / 1e9
            guard elapsed < seconds else { return }
            send(upTo: Int(elapsed * rate) - (sent - before), burst: 1)
            try turn(milliseconds: 1)
        }
    }

    /// Waits until all that was sent is done.
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

    /// Sends one report that asks for a response, which then stands for all reports before it.
    ///
    /// With a full window each device may have reports that are not confirmed; it then waits for the first that has
    /// none.
    /// - Throws: `LoadError` when a connection ends or nothing moves for ten seconds.
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
                // No id of an earlier load: the service would take the report for a repeat of it.
                stream.write(at: now, id: isMark ? "m\(sent)-\(stream.first)" : nil, into: &report)
                connections.queue(device, topic: topics[device], payload: report)
            }
            connections.flush(device)
        }
    }

    private func turn(milliseconds: Int32) throws(LoadError) {
        try connections.turn(milliseconds: milliseconds, take)
    }

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
        guard let sequence = ReportStream.sequence(in: payload), stream.contains(sequence) else {
            return
        }
        let report = reports[sequence & (reports.count - 1)]
        delivered += max(0, report.count - told[report.device])
        told[report.device] = max(told[report.device], report.count)
        guard isTiming else { return }
        delays.append(LoadClock.nanoseconds - report.at)
    }
}
