import Glibc

/// Commands from app terminals to devices and back, in one thread: four messages each.
///
/// A terminal asks, somebody tells the device, the device answers, somebody tells the terminal. That is
/// the service, or, with `relaySecret`, a connection of the load itself that passes on what it gets:
/// the same four hops through the bare broker.
final class CommandLoad {
    private let pool: SocketPool
    private let devices: [LoadDevice]
    private let terminals: [LoadTerminal]
    /// The place of the terminal that commands each device.
    private let owners: [Int]
    private let relaySecret: String?
    private let crowd: LoadDevice?
    private let root: String
    private let places: [String: Int]
    private var ready = 0
    /// No two loads begin alike: a request's id is known for ten minutes.
    private var next = Int(LoadClock.milliseconds % 1_000_000_000) * 1000
    private var sentAt: [Int: Int64] = [:]
    private(set) var lost: [LoadError] = []
    /// Nanoseconds of each round trip, while `isTiming`.
    private(set) var delays: [Int64] = []
    var isTiming = false
    /// Statuses of the crowd's device that terminals got.
    private(set) var seen = 0
    private(set) var crowdReports = 0

    /// Prepares connections; `crowd` is a device that all terminals see.
    init(
        devices: [LoadDevice],
        terminals: [LoadTerminal],
        owners: [Int],
        relaySecret: String?,
        crowd: LoadDevice?,
        root: String
    ) {
        self.devices = devices
        self.terminals = terminals
        self.owners = owners
        self.relaySecret = relaySecret
        self.crowd = crowd
        self.root = root
        places = Dictionary(uniqueKeysWithValues: devices.enumerated().map { ($1.did, $0) })
        pool = SocketPool(count: devices.count + terminals.count + 2)
    }

    private var relayPlace: Int { devices.count + terminals.count }
    private var crowdPlace: Int { relayPlace + 1 }

    // MARK: Connecting

    /// Connects everybody and subscribes.
    ///
    /// - Throws: `LoadError`.
    func connect(port: Int) throws(LoadError) {
        let address = sockaddr_in(host: "127.0.0.1", port: port)
        var logins: [(Int, MQTTWriter.Login)] = devices.enumerated().map { ($0, login($1)) }
        logins += terminals.enumerated().map { (devices.count + $0, login($1)) }
        if let crowd { logins.append((crowdPlace, login(crowd))) }
        if let relaySecret {
            logins.append(
                (
                    relayPlace,
                    .init(
                        clientID: "svc.tools.bench-hops",
                        username: "service:tools",
                        password: relaySecret,
                        keepAliveSeconds: 600
                    )
                )
            )
        }
        var opened = 0
        try wait(for: logins.count) { () throws(LoadError) in
            while opened < logins.count, opened - self.ready < 90 {
                let (place, login) = logins[opened]
                self.pool.set(place, try DeviceSocket(address: address, login: login))
                self.pool.flush(place)
                opened += 1
            }
        }
        ready = 0
        for (place, _) in logins where place != crowdPlace {
            pool.sockets[place]?.subscribe(filters(place))
            pool.flush(place)
        }
        try wait(for: logins.count - (crowd == nil ? 0 : 1)) { () throws(LoadError) in }
    }

    /// Says goodbye for all.
    func disconnect() {
        for index in pool.sockets.indices {
            pool.sockets[index]?.disconnect()
            pool.set(index, nil)
        }
    }

    private func login(_ device: LoadDevice) -> MQTTWriter.Login {
        .init(
            clientID: device.did,
            username: "device:\(device.did)",
            password: device.secret,
            keepAliveSeconds: 600
        )
    }

    private func login(_ terminal: LoadTerminal) -> MQTTWriter.Login {
        .init(
            clientID: terminal.terminalID,
            username: "app:\(terminal.appID)",
            password: terminal.token,
            keepAliveSeconds: 600
        )
    }

    private func filters(_ place: Int) -> [String] {
        if place < devices.count { return ["\(root)/device/\(devices[place].did)/command"] }
        if place == relayPlace {
            return ["\(root)/app/+/+/request/device/control", "\(root)/device/+/report"]
        }
        let terminal = terminals[place - devices.count]
        return [
            "\(root)/app/\(terminal.appID)/\(terminal.terminalID)/command",
            "\(root)/user/\(terminal.uid)/#",
        ]
    }

    private func wait(
        for count: Int,
        _ more: () throws(LoadError) -> Void
    ) throws(LoadError) {
        let start = LoadClock.nanoseconds
        while ready < count {
            try more()
            turn(milliseconds: 50)
            if let error = lost.first { throw error }
            guard LoadClock.nanoseconds - start < 60_000_000_000 else {
                throw .timeout("connecting")
            }
        }
    }

    // MARK: Commanding

    /// Commands at an even rate, and has the crowd's device report once a second; waits for the last.
    ///
    /// - Throws: `LoadError`, also where commands are lost.
    func pace(seconds: Double, rate: Double) throws(LoadError) {
        let start = LoadClock.nanoseconds
        var sent = 0
        var reported = 0
        var elapsed = 0.0
        while elapsed < seconds {
            while sent < Int(elapsed * rate) {
                command(next % devices.count)
                sent += 1
            }
            if let crowd, reported < Int(elapsed) {
                report(crowd)
                reported += 1
            }
            turn(milliseconds: 1)
            if let error = lost.first { throw error }
            elapsed = Double(LoadClock.nanoseconds - start) / 1e9
        }
        let end = LoadClock.nanoseconds + 10_000_000_000
        while !sentAt.isEmpty || (crowd != nil && seen < crowdReports * terminals.count) {
            turn(milliseconds: 10)
            if let error = lost.first { throw error }
            guard LoadClock.nanoseconds < end else {
                throw .timeout("\(sentAt.count) commands have no outcome, \(seen) statuses seen")
            }
        }
    }

    private func command(_ device: Int) {
        let sn = next
        next += 1
        let owner = owners[device]
        let terminal = terminals[owner]
        let body =
            "{\"id\":\"c\(sn)\",\"token\":\"\(terminal.token)\",\"params\":{\"did\":\"\(devices[device].did)\",\"sn\":\(sn),\"data\":{\"sequence\":\(sn)}}}"
        sentAt[sn] = LoadClock.nanoseconds
        publish(
            devices.count + owner,
            "app/\(terminal.appID)/\(terminal.terminalID)/request/device/control",
            body
        )
    }

    private func report(_ device: LoadDevice) {
        crowdReports += 1
        publish(
            crowdPlace,
            "device/\(device.did)/report",
            "{\"data\":{\"sequence\":\(crowdReports)}}"
        )
    }

    private func publish(_ place: Int, _ topic: String, _ body: String) {
        pool.sockets[place]?.publish(
            topic: Array("\(root)/\(topic)".utf8),
            payload: Array(body.utf8)
        )
        pool.flush(place)
    }

    private func turn(milliseconds: Int32) {
        pool.turn(milliseconds: milliseconds) { index, packet in
            take(index, packet)
        } lost: { _, error in
            lost.append(error)
        }
    }

    private func take(_ index: Int, _ packet: MQTTPacket) {
        switch packet {
        case .connectionAnswer(let code):
            if code == 0 { ready += 1 } else { lost.append(.refused(code: code)) }
        case .subscriptionAnswer(let isGranted):
            if isGranted { ready += 1 } else { lost.append(.failed("subscription refused")) }
        case .publish(let topic, let payload, _):
            let topic = String(decoding: topic, as: UTF8.self)
            let body = String(decoding: payload, as: UTF8.self)
            if index < devices.count {
                answer(index, body)
            } else if index == relayPlace {
                relay(topic, body)
            } else {
                hear(topic, body)
            }
        case .publishAnswer, .other: break
        }
    }

    /// A device obeys.
    private func answer(_ device: Int, _ body: String) {
        guard let cid = Self.number("\"cid\":", in: body), let sn = Self.number("\"sn\":", in: body)
        else { return }
        publish(
            device,
            "device/\(devices[device].did)/report",
            "{\"cid\":\(cid),\"code\":0,\"data\":{\"sequence\":\(sn)}}"
        )
    }

    /// The bare broker's hops: what came is passed on at once.
    private func relay(_ topic: String, _ body: String) {
        let parts = topic.split(separator: "/")
        if topic.hasSuffix("/control"), let sn = Self.number("\"sn\":", in: body) {
            let did = devices[sn % devices.count].did
            publish(
                relayPlace,
                "device/\(did)/command",
                "{\"cid\":\(sn),\"sn\":\(sn),\"type\":\"write\",\"data\":{\"sequence\":\(sn)}}"
            )
        } else if topic.hasSuffix("/report"), let sn = Self.number("\"sequence\":", in: body),
            parts.count >= 2, let device = places[String(parts[parts.count - 2])]
        {
            let terminal = terminals[owners[device]]
            publish(
                relayPlace,
                "app/\(terminal.appID)/\(terminal.terminalID)/command",
                "{\"cid\":\(sn),\"sn\":\(sn),\"state\":\"done\",\"code\":0}"
            )
        }
    }

    /// A terminal hears an outcome, or the status of a device.
    private func hear(_ topic: String, _ body: String) {
        if topic.hasSuffix("/command") {
            guard let sn = Self.number("\"sn\":", in: body),
                let begin = sentAt.removeValue(forKey: sn)
            else { return }
            if isTiming { delays.append(LoadClock.nanoseconds - begin) }
        } else if let crowd, topic.hasSuffix("/device/\(crowd.did)/status"),
            let sequence = Self.number("\"sequence\":", in: body), sequence > 0,
            body.contains("\"changed\":[\"sequence\"]")
        {
            seen += 1
        }
    }

    private static func number(_ name: String, in body: String) -> Int? {
        guard let range = body.utf8.firstRange(of: name.utf8) else { return nil }
        let digits = body.utf8[range.upperBound...].prefix { (48...57).contains($0) }
        return digits.isEmpty ? nil : digits.reduce(0) { $0 * 10 + Int($1) - 48 }
    }
}
