import Domain
import Foundation
import Glibc
import Load

/// A run of simulated devices against a broker, for `lamplighter simulate`.
///
/// The simulation uses one thread, and one socket for each device. Each device sends reports, resends unanswered
/// reports, and obeys commands. Now and then, a device loses its connection and reconnects.
package final class Simulation {
    let options: SimulateOptions
    let product: Product
    let pool: SocketPool
    let address: sockaddr_in
    var devices: [SimulatedDevice]
    var app: SimulatedApp?
    /// The result so far.
    package internal(set) var summary = SimulateSummary()
    var lastError: String?
    /// The number of connections that are being opened.
    var opening = 0
    /// The current second, and the number of devices that have tried to register in this second.
    private var newcomers = (second: Int64(0), count: 0)
    let interrupts: () -> Int
    let tell: (String) -> Void
    let show: (String) -> Void

    /// The maximum number of simultaneous connection attempts, since the broker's backlog is limited.
    static let openingMax = 64
    /// The maximum number of devices that register per second, less than half of the gate's default limit.
    static let newcomersPerSecond = 90
    /// The longest wait for the last answers after the end of the run, in milliseconds.
    static let endPatience: Int64 = 10_000
    /// The longest wait for the last answers after an interrupt, in milliseconds.
    static let interruptPatience: Int64 = 3000
    /// On average, one of this many online devices loses its connection in each second.
    static let dropsOneIn = 120

    /// Prepares a simulation.
    ///
    /// - Parameters:
    ///   - options: The options of the simulation.
    ///   - interrupts: Returns the number of interrupts so far. The second interrupt ends the simulation without
    ///     waiting.
    ///   - tell: Receives the progress line once a second.
    ///   - show: Receives a line for each event of the app, such as a received message.
    /// - Throws: `Rejection` for an invalid product document.
    package init(
        _ options: SimulateOptions,
        interrupts: @escaping () -> Int,
        tell: @escaping (String) -> Void,
        show: @escaping (String) -> Void
    ) throws {
        self.options = options
        self.interrupts = interrupts
        self.tell = tell
        self.show = show
        product = try ProductCodec.decode(options.product)
        address = sockaddr_in(host: options.host, port: options.port)
        let run = RandomHex.digits(bytes: 4)
        devices = (0..<options.devices).map { [product] _ in SimulatedDevice(product, run: run) }
        app = options.app.map { SimulatedApp(app: $0) }
        pool = SocketPool(count: options.devices + 1)
    }

    /// Runs the simulation for its duration or until an interrupt, then waits for the last answers.
    package func run() -> SimulateSummary {
        let start = LoadClock.milliseconds
        var end = start + Int64(options.duration * 1000)
        var deadline = end + Self.endPatience
        var isInterrupted = false
        let interval = Double(devices.count) / max(options.rate, 0.001) * 1000
        for index in devices.indices { devices[index].nextReportAt = start + Int64(Double.random(in: 0...interval)) }
        var nextLine = start
        while true {
            let now = LoadClock.milliseconds
            if !isInterrupted, interrupts() > 0 {
                isInterrupted = true
                end = min(end, now)
                deadline = min(deadline, now + Self.interruptPatience)
            }
            let isOver = now >= end
            if isOver && (isSettled || now >= deadline || interrupts() > 1) { break }
            live(at: now, interval: interval, reports: !isOver)
            turn()
            if now >= nextLine {
                nextLine = now + 1000
                tell(progress(seconds: Double(now - start) / 1000))
                if !isOver { dropSome(at: now) }
            }
        }
        for index in devices.indices where devices[index].isOnline { leave(index) }
        return summary
    }

    private var isSettled: Bool { devices.allSatisfy(\.kept.isEmpty) }

    private func progress(seconds: Double) -> String {
        let online = devices.count { $0.isOnline }
        return "\(Int(seconds)) s  online \(online)/\(devices.count)  " + summary.text
            + (lastError.map { "  last error: \($0)" } ?? "")
    }

    /// Does the work that is due for each device and the app.
    private func live(at now: Int64, interval: Double, reports: Bool) {
        for index in devices.indices {
            switch devices[index].phase {
            case .away(let until):
                if now >= until, opening < Self.openingMax, mayCome(index, at: now) { open(index, at: now) }
            case .registering, .connecting:
                // The broker or the service hasn't answered within 10 seconds.
                if now - devices[index].since > 10_000 { lose(index, "no answer", at: now) }
            case .online:
                // When a write fails, the pool removes the connection and doesn't call `lost`.
                guard pool.sockets[index] != nil else {
                    lose(index, "not connected", at: now)
                    continue
                }
                if reports, now >= devices[index].nextReportAt {
                    devices[index].nextReportAt = now + Int64(interval * .random(in: 0.8...1.2))
                    summary.sent += 1
                    devices[index].report(at: now)
                }
                sendDue(index, at: now)
                if now - devices[index].since > 30_000 {
                    devices[index].since = now
                    pool.sockets[index]?.ping()
                    pool.flush(index)
                }
            }
        }
        liveApp(commands: reports, at: now)
    }

    /// Returns whether a device may connect now: only a limited number of devices register each second.
    private func mayCome(_ index: Int, at now: Int64) -> Bool {
        guard devices[index].did == nil else { return true }
        if newcomers.second != now / 1_000 { newcomers = (now / 1_000, 0) }
        newcomers.count += 1
        return newcomers.count <= Self.newcomersPerSecond
    }

    /// Sends a device's due reports: new reports, and reports whose answer is overdue.
    func sendDue(_ index: Int, at now: Int64) {
        let (payloads, repeats) = devices[index].kept.due(at: now)
        summary.resent += repeats
        guard let did = devices[index].did else { return }
        for payload in payloads {
            publish(index, "device/\(did)/report", payload: payload)
            pool.flush(index)
        }
    }

    /// Queues a message on a connection; `topic` is the part of the topic after the root.
    func publish(_ place: Int, _ topic: String, payload: [UInt8]) {
        pool.sockets[place]?.publish(topic: Array("\(options.root)/\(topic)".utf8), payload: payload)
    }

    private func dropSome(at now: Int64) {
        for index in devices.indices where devices[index].isOnline && Int.random(in: 0..<Self.dropsOneIn) == 0 {
            if Bool.random() { leave(index) }
            pool.set(index, nil)
            summary.reconnects += 1
            devices[index].phase = .away(until: now + .random(in: 500...4000))
        }
    }

    private func turn() {
        pool.turn(milliseconds: 5) { index, packet in
            if index == devices.count { takeForApp(packet) } else { take(index, packet) }
        } lost: { index, error in
            if index == devices.count {
                loseApp("\(error)")
            } else {
                lose(index, "\(error)", at: LoadClock.milliseconds)
            }
        }
    }
}
