import Glibc
import Load

/// A load of commands from app terminals to devices, all in one thread.
///
/// A terminal sends a request. The service or `BenchHops` sends the command to the device. After the device's answer,
/// the service or `BenchHops` publishes the outcome to the terminal.
final class CommandLoad {
    private let connections: LoadConnections
    private let devices: [LoadDevice]
    private let terminals: [LoadTerminal]
    /// For each device, the index of the terminal that sends commands to the device.
    private let owners: [Int]
    private let crowd: LoadDevice?
    private let root: String
    private let crowdPlace: Int
    /// The next request's `sn`, which starts at a different number for each load.
    ///
    /// The service remembers request ids for ten minutes. A repeated `sn` would therefore look like a repeated request.
    private var next = Int(LoadClock.milliseconds % 1_000_000_000) * 1000
    private var sentAt: [Int: Stopwatch] = [:]
    /// The duration of each round trip in milliseconds, recorded while `isTiming` is true.
    private var delays: [Double] = []
    private var isTiming = false
    /// The number of statuses of the device `crowd` that all terminals together have received.
    private var seen = 0
    private var crowdReports = 0

    /// Creates the load without connecting.
    ///
    /// All terminals receive the statuses of the device `crowd`.
    init(devices: [LoadDevice], terminals: [LoadTerminal], owners: [Int], crowd: LoadDevice? = nil, root: String) {
        self.devices = devices
        self.terminals = terminals
        self.owners = owners
        self.crowd = crowd
        self.root = root
        crowdPlace = devices.count + terminals.count
        connections = LoadConnections(
            devices.map { .init(login: $0.login, filters: ["\(root)/device/\($0.did)/command"]) }
                + terminals.map { .init(login: $0.login(), filters: Self.filters($0, root)) }
                + (crowd.map { [.init(login: $0.login)] } ?? [])
        )
    }

    private static func filters(_ terminal: LoadTerminal, _ root: String) -> [String] {
        ["\(terminal.space(root))/command", "\(root)/user/\(terminal.uid)/#"]
    }

    /// Connects all clients, measures the round trips of commands, and disconnects.
    ///
    /// During `pause`, the service processes the presence messages of the newly connected devices.
    /// - Returns: The durations of the round trips in milliseconds. The first two seconds are a warm-up and are left
    ///   out.
    /// - Throws: `LoadError` if a connection fails or if commands are lost.
    func roundTrips(port: Int, pause: Duration, seconds: Double, rate: Double) async throws -> [Double] {
        defer { connections.disconnect() }
        try connections.connect(port: port, take)
        try await Task.sleep(for: pause)
        try pace(seconds: 2, rate: rate)
        isTiming = true
        try pace(seconds: seconds, rate: rate)
        return delays
    }

    // MARK: Commands

    /// Sends commands at an even rate, and one report of the device `crowd` each second.
    ///
    /// The function then waits for the last command's outcome.
    private func pace(seconds: Double, rate: Double) throws(LoadError) {
        let stopwatch = Stopwatch()
        var sent = 0
        var reported = 0
        while stopwatch.seconds < seconds {
            while sent < Int(stopwatch.seconds * rate) {
                command(next % devices.count)
                sent += 1
            }
            if let crowd, reported < Int(stopwatch.seconds) {
                report(crowd)
                reported += 1
            }
            try turn(milliseconds: 1)
        }
        try awaitRest()
    }

    /// Waits for all missing outcomes and statuses, and throws an error if none of them arrives for ten seconds.
    private func awaitRest() throws(LoadError) {
        let patience: Int64 = 10_000_000_000
        var (heard, end) = (-1, LoadClock.nanoseconds + patience)
        while !sentAt.isEmpty || (crowd != nil && seen < crowdReports * terminals.count) {
            try turn(milliseconds: 10)
            let now = LoadClock.nanoseconds
            if heard != seen - sentAt.count { (heard, end) = (seen - sentAt.count, now + patience) }
            guard now < end else { throw .timeout("\(sentAt.count) commands have no outcome, \(seen) statuses seen") }
        }
    }

    private func command(_ device: Int) {
        let sn = next
        next += 1
        let owner = owners[device]
        let terminal = terminals[owner]
        let body =
            "{\"id\":\"c\(sn)\",\"token\":\"\(terminal.token)\",\"params\":{\"did\":\"\(devices[device].did)\",\"sn\":\(sn),\"data\":{\"sequence\":\(sn)}}}"
        sentAt[sn] = Stopwatch()
        let topic = "app/\(terminal.appID)/\(terminal.terminalID)/request/device/control"
        publish(devices.count + owner, topic, body: body)
    }

    private func report(_ device: LoadDevice) {
        crowdReports += 1
        publish(crowdPlace, "device/\(device.did)/report", body: "{\"data\":{\"sequence\":\(crowdReports)}}")
    }

    private func publish(_ place: Int, _ topic: String, body: String) {
        connections.queue(place, topic: Array("\(root)/\(topic)".utf8), payload: Array(body.utf8))
        connections.flush(place)
    }

    private func turn(milliseconds: Int32) throws(LoadError) { try connections.turn(milliseconds: milliseconds, take) }

    private func take(_ place: Int, _ topic: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) {
        let topic = String(decoding: topic, as: UTF8.self)
        let body = String(decoding: payload, as: UTF8.self)
        if place < devices.count {
            answer(place, body)
        } else {
            hear(topic, body)
        }
    }

    private func answer(_ device: Int, _ body: String) {
        guard let cid = LoadText.number("\"cid\":", in: body), let sn = LoadText.number("\"sn\":", in: body) else {
            return
        }
        let body = "{\"cid\":\(cid),\"code\":0,\"data\":{\"sequence\":\(sn)}}"
        publish(device, "device/\(devices[device].did)/report", body: body)
    }

    private func hear(_ topic: String, _ body: String) {
        if topic.hasSuffix("/command") {
            guard let sn = LoadText.number("\"sn\":", in: body), let begin = sentAt.removeValue(forKey: sn) else {
                return
            }
            if isTiming { delays.append(begin.seconds * 1000) }
        } else if let crowd, topic.hasSuffix("/device/\(crowd.did)/status"),
            let sequence = LoadText.number("\"sequence\":", in: body), sequence > 0,
            body.contains("\"changed\":[\"sequence\"]")
        {
            seen += 1
        }
    }
}
