import Glibc
import Load

/// Some devices that report once a second each beside an overload, as honest ones do.
final class OverloadProbe {
    private let connections: LoadConnections
    private let topics: [[UInt8]]
    private let ground: AbuseGround
    private var waiting: [Int: Int64] = [:]
    private var next = Int(LoadClock.milliseconds % 1_000_000_000) * 1000
    /// Milliseconds of each answer since `forget()`.
    private(set) var delays: [Double] = []
    private(set) var unanswered = 0

    /// The time counted for a report without an answer, in milliseconds.
    static let never = 60_000.0

    init(_ ground: AbuseGround, _ devices: [LoadDevice]) {
        self.ground = ground
        connections = LoadConnections(
            devices.map {
                .init(login: $0.login, filters: ["\(ground.root)/device/\($0.did)/response"])
            }
        )
        topics = devices.map { Array("\(ground.root)/device/\($0.did)/report".utf8) }
    }

    /// Connects all.
    ///
    /// - Throws: `LoadError`.
    func connect() throws(LoadError) { try connections.connect(port: ground.port, take) }

    /// Disconnects all.
    func disconnect() { connections.disconnect() }

    /// Resets the measurements.
    func forget() {
        delays = []
        unanswered = 0
        waiting = [:]
    }

    /// Reports for so many seconds.
    ///
    /// - Throws: `LoadError` when one is cut off.
    func live(seconds: Double) throws(LoadError) {
        let start = LoadClock.nanoseconds
        var sent = 0
        while true {
            let elapsed = Double(LoadClock.nanoseconds - start) / 1e9
            guard elapsed < seconds else { return }
            while sent < Int(elapsed * Double(topics.count)) {
                sent += 1
                report(sent % topics.count)
            }
            try connections.turn(milliseconds: 2, take)
        }
    }

    /// Waits for the last answers, and gives what was measured: median, 99th percentile, highest.
    ///
    /// - Throws: `LoadError` when one is cut off.
    func finish(seconds: Double = 15) throws(LoadError) -> OverloadDelays {
        let end = LoadClock.nanoseconds + Int64(seconds * 1e9)
        while !waiting.isEmpty, LoadClock.nanoseconds < end {
            try connections.turn(milliseconds: 5, take)
        }
        unanswered = waiting.count
        delays += Array(repeating: Self.never, count: unanswered)
        let result = OverloadDelays(delays, unanswered: unanswered)
        forget()
        return result
    }

    private func report(_ device: Int) {
        next += 1
        waiting[next] = LoadClock.nanoseconds
        connections.queue(
            device,
            topic: topics[device],
            payload: Array("{\"id\":\"\(next)\",\"data\":{\"sequence\":\(next)}}".utf8)
        )
        connections.flush(device)
    }

    private func take(
        _: Int,
        _: UnsafeRawBufferPointer,
        payload: UnsafeRawBufferPointer
    ) {
        let body = String(decoding: payload, as: UTF8.self)
        guard let id = LoadText.text("\"id\":", in: body).flatMap({ Int($0) }),
            let begin = waiting.removeValue(forKey: id)
        else { return }
        delays.append(Double(LoadClock.nanoseconds - begin) / 1e6)
    }
}

/// The times of the answers to a probe, in milliseconds.
struct OverloadDelays: Sendable {
    let p50: Double
    let p99: Double
    let most: Double
    let unanswered: Int

    init(_ delays: [Double] = [], unanswered: Int = 0) {
        let delays = delays.isEmpty ? [OverloadProbe.never] : delays
        p50 = BenchGoal.median(delays)
        p99 = BenchGoal.percentile99(delays)
        most = delays.max() ?? OverloadProbe.never
        self.unanswered = unanswered
    }
}
