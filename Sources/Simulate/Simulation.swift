import Domain
import Foundation
import Glibc
import Load

/// Runs simulated devices against a broker: `lamplighter simulate`.
///
/// One thread and one socket for each device, however many there are. A device reports, resends what was
/// not answered, obeys commands, loses its connection now and then and comes back.
package final class Simulation {
    let options: SimulateOptions
    let product: Product
    let pool: SocketPool
    let address: sockaddr_in
    var devices: [SimulatedDevice]
    var app: SimulatedApp?
    /// What has happened so far.
    package internal(set) var summary = SimulateSummary()
    var lastError: String?
    /// Connections that have begun and are not through.
    var opening = 0
    /// Devices that came to register in this second.
    private var newcomers = (second: Int64(0), count: 0)
    let interrupts: () -> Int
    let tell: (String) -> Void
    let show: (String) -> Void

    /// Devices that connect at the same time at most: the broker's backlog is not endless.
    static let openingMax = 64
    /// Devices that register in a second at most: fewer than half of the newcomers that the gate lets in.
    static let newcomersPerSecond = 90
    /// Milliseconds that the last answers are waited for at the end.
    static let endPatience: Int64 = 10_000
    /// The same where the simulation is interrupted.
    static let interruptPatience: Int64 = 3000
    /// One device in so many loses its connection in each second.
    static let dropsOneIn = 120

    /// Prepares a simulation.
    ///
    /// - Parameters:
    ///   - options: What is to be simulated.
    ///   - interrupts: Returns the number of interrupts so far; the second one ends the simulation without
    ///     waiting.
    ///   - tell: Takes the progress line, once a second.
    ///   - show: Takes what the app's user sees.
    /// - Throws: `Rejection` for a product document that is not one.
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

    /// Runs for the time that is asked for, or until it is interrupted, then waits for the last answers.
    package func run() -> SimulateSummary {
        let start = LoadClock.milliseconds
        var end = start + Int64(options.duration * 1000)
        var deadline = end + Self.endPatience
        var isInterrupted = false
        let interval = Double(devices.count) / max(options.rate, 0.001) * 1000
        for index in devices.indices {
            devices[index].nextReportAt = start + Int64(Double.random(in: 0...interval))
        }
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

    private var isSettled: Bool { devices.allSatisfy { !$0.isOwed } }

    private func progress(seconds: Double) -> String {
        let online = devices.count { $0.isOnline }
        return "\(Int(seconds)) s  online \(online)/\(devices.count)  " + summary.text
            + (lastError.map { "  last trouble: \($0)" } ?? "")
    }

    /// Does what is due for each device and the app.
    private func live(at now: Int64, interval: Double, reports: Bool) {
        for index in devices.indices {
            switch devices[index].phase {
            case .away(let until):
                if now >= until, opening < Self.openingMax, mayCome(index, at: now) {
                    open(index, at: now)
                }
            case .registering, .connecting:
                // The broker, or the service, did not answer.
                if now - devices[index].since > 10_000 { lose(index, "no answer", at: now) }
            case .online:
                // A write that failed takes the connection away without a word.
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

    /// Whether a device may connect now: each second only some come to register.
    private func mayCome(_ index: Int, at now: Int64) -> Bool {
        guard devices[index].did == nil else { return true }
        if newcomers.second != now / 1_000 { newcomers = (now / 1_000, 0) }
        newcomers.count += 1
        return newcomers.count <= Self.newcomersPerSecond
    }

    /// Sends what a device has to say now: new reports, and those that wait too long for their answer.
    func sendDue(_ index: Int, at now: Int64) {
        let (payloads, repeats) = devices[index].due(at: now)
        summary.resent += repeats
        for payload in payloads { send(index, payload) }
    }

    func send(_ index: Int, _ payload: [UInt8]) {
        guard let did = devices[index].did else { return }
        pool.sockets[index]?.publish(
            topic: Array("\(options.root)/device/\(did)/report".utf8),
            payload: payload
        )
        pool.flush(index)
    }

    /// Some devices lose their connection without a word, some leave politely; all come back.
    private func dropSome(at now: Int64) {
        for index in devices.indices
        where devices[index].isOnline && Int.random(in: 0..<Self.dropsOneIn) == 0 {
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
