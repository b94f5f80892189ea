import Glibc
import Load

/// The honest clients beside an attack: they ask, control, report and log in at an even pace.
///
/// What is asked is timed from the moment at which it was due, so that a machine that stops is seen.
final class AbuseOthers {
    typealias Kind = AbuseLane.Kind

    private let ground: AbuseGround
    private let connections: LoadConnections
    private let terminals: [LoadTerminal]
    private let devices: [LoadDevice]
    private let logins: [LoadTerminal]
    private var waiting: [String: (Kind, Int64)] = [:]
    private var made: [Kind: Int] = [:]
    private var next = Int(LoadClock.milliseconds % 1_000_000_000) * 1000
    private(set) var lanes: [Kind: AbuseLane] = [:]
    private var logged = 0

    /// Prepares the clients.
    init(_ ground: AbuseGround) {
        self.ground = ground
        let honest = ground.seed.honest
        (terminals, devices, logins) = (honest.terminals, honest.bound, honest.loggedOut)
        let root = ground.root
        let secret = honest.appSecret
        connections = LoadConnections(
            terminals.map {
                .init(
                    login: $0.login(),
                    filters: ["\($0.space(root))/#", "\(root)/user/\($0.uid)/#"]
                )
            }
                + devices.map {
                    .init(
                        login: $0.login,
                        filters: ["command", "response"].map { [did = $0.did] leaf in
                            "\(root)/device/\(did)/\(leaf)"
                        }
                    )
                }
                + logins.map {
                    .init(login: $0.login(secret: secret), filters: ["\($0.space(root))/response"])
                }
        )
    }

    /// Connects all clients.
    ///
    /// - Throws: `LoadError` with the first refusal.
    func connect() throws(LoadError) { try connections.connect(port: ground.port, take) }

    /// Disconnects all.
    func disconnect() { connections.disconnect() }

    /// Resets the counts.
    func forget() {
        lanes = [:]
        waiting = [:]
    }

    /// Runs the clients for so many seconds; calls `meanwhile` all the time.
    ///
    /// - Throws: `LoadError` when a client was cut off.
    func live(seconds: Double, meanwhile: () throws -> Void = {}) throws {
        let start = LoadClock.nanoseconds
        made = [:]
        while true {
            let elapsed = Double(LoadClock.nanoseconds - start) / 1e9
            guard elapsed < seconds else { return }
            for kind in Kind.allCases { act(kind, start, elapsed: elapsed) }
            try connections.turn(milliseconds: 2, take)
            try meanwhile()
        }
    }

    /// Waits for the last answers; what has none by then is lost.
    ///
    /// - Throws: `LoadError` when a client was cut off.
    func drain(seconds: Double) throws(LoadError) {
        let end = LoadClock.nanoseconds + Int64(seconds * 1e9)
        while !waiting.isEmpty, LoadClock.nanoseconds < end {
            try connections.turn(milliseconds: 10, take)
        }
        for (kind, _) in waiting.values { lanes[kind, default: AbuseLane()].unanswered += 1 }
        waiting = [:]
    }

    // MARK: Acting

    private func act(_ kind: Kind, _ start: Int64, elapsed: Double) {
        while made[kind, default: 0] < Int(elapsed * kind.rate) {
            made[kind, default: 0] += 1
            next += 1
            let due = start + Int64(Double(made[kind, default: 0]) / kind.rate * 1e9)
            waiting["\(next)"] = (kind, due)
            switch kind {
            case .whoami: ask(next % terminals.count, "account/whoami", params: "{}")
            case .control: control(devices[next % devices.count], next % devices.count)
            case .report: report(next % devices.count, "\"id\":\"\(next)\"")
            case .login: logIn()
            }
        }
    }

    private func ask(_ place: Int, _ method: String, params: String) {
        let terminal = terminals[place]
        publish(
            place,
            "app/\(terminal.appID)/\(terminal.terminalID)/request/\(method)",
            body: "{\"id\":\"\(next)\",\"token\":\"\(terminal.token)\",\"params\":\(params)}"
        )
    }

    private func control(_ device: LoadDevice, _ number: Int) {
        // Devices are bound to the terminals in turn; the unbound ones were counted first.
        let owner = (devices.count + number) % terminals.count
        ask(
            owner,
            "device/control",
            params: "{\"did\":\"\(device.did)\",\"sn\":\(next),\"data\":{\"sequence\":\(next)}}"
        )
    }

    private func report(_ number: Int, _ head: String) {
        publish(
            terminals.count + number,
            "device/\(devices[number].did)/report",
            body: "{\(head),\"data\":{\"sequence\":\(next)}}"
        )
    }

    private func logIn() {
        let number = logged % logins.count
        logged += 1
        let terminal = logins[number]
        publish(
            terminals.count + devices.count + number,
            "app/\(terminal.appID)/\(terminal.terminalID)/request/account/login",
            body:
                "{\"id\":\"\(next)\",\"params\":{\"countryCode\":\"1\",\"username\":\"bench-\(number)\","
                + "\"password\":\"\(BenchSeed.password)\"}}"
        )
    }

    private func publish(_ place: Int, _ topic: String, body: String) {
        connections.queue(
            place,
            topic: Array("\(ground.root)/\(topic)".utf8),
            payload: Array(body.utf8)
        )
        connections.flush(place)
    }

    // MARK: Hearing

    private func take(
        _ place: Int,
        _ topic: UnsafeRawBufferPointer,
        payload: UnsafeRawBufferPointer
    ) {
        let topic = String(decoding: topic, as: UTF8.self)
        guard topic.hasSuffix("/response") || topic.hasSuffix("/command") else { return }
        let body = String(decoding: payload, as: UTF8.self)
        if place >= terminals.count, topic.hasSuffix("/command") {
            obey(place - terminals.count, body)
        } else if topic.hasSuffix("/command") {
            if let sn = LoadText.number("\"sn\":", in: body) { settle("\(sn)") }
        } else if let id = LoadText.text("\"id\":", in: body) {
            answer(String(id), body)
        }
    }

    /// Makes a device obey a command.
    private func obey(_ device: Int, _ body: String) {
        guard let cid = LoadText.number("\"cid\":", in: body) else { return }
        report(device, "\"cid\":\(cid),\"code\":0")
    }

    private func answer(_ id: String, _ body: String) {
        guard let (kind, _) = waiting[id] else { return }
        if body.contains("\"ok\":false") {
            waiting[id] = nil
            var lane = lanes[kind, default: AbuseLane()]
            lane.refused += 1
            lane.firstRefusal = lane.firstRefusal ?? body
            lanes[kind] = lane
        } else if kind != .control {
            // A command has been answered when its outcome is published.
            settle(id)
        }
    }

    private func settle(_ id: String) {
        guard let (kind, due) = waiting.removeValue(forKey: id) else { return }
        lanes[kind, default: AbuseLane()].delays.append(Double(LoadClock.nanoseconds - due) / 1e6)
    }
}
