import Glibc

/// Reports from many devices over one broker, with never more under way than a window holds.
///
/// It runs in the thread that calls it. Whoever consumes the reports tells how many it has done, through
/// `consumed`; the service does by answering one report in `markEvery`, which carries an id.
final class ReportLoad {
    let pool: SocketPool
    let devices: [LoadDevice]
    let terminals: [LoadTerminal]
    private let topics: [[UInt8]]
    private var stream = ReportStream()
    private var report: [UInt8] = []
    private var order = 0
    private var isReady: [Bool]
    private var answered = 0
    /// When a report left, by its sequence; a ring.
    private var sentAt = [Int64](repeating: 0, count: 1 << 18)

    private(set) var sent = 0
    /// Of `sent`, how many the service has answered for.
    private(set) var marked = 0
    /// Messages that the terminals have received.
    private(set) var delivered = 0
    private(set) var lost: [LoadError] = []
    /// Nanoseconds from a device's publish to a terminal's receipt, while `isTiming`.
    private(set) var delays: [Int64] = []
    var isTiming = false

    /// One report in so many asks the service for a response.
    static let markEvery = 100
    /// Reports that a device sends in one go.
    static let burst = 4
    private static let napMicroseconds: UInt32 = 1000

    init(devices: [LoadDevice], terminals: [LoadTerminal], root: String) {
        self.devices = devices
        self.terminals = terminals
        pool = SocketPool(count: devices.count + terminals.count)
        isReady = Array(repeating: false, count: devices.count + terminals.count)
        topics = devices.map { Array("\(root)/device/\($0.did)/report".utf8) }
        self.root = root
    }

    private let root: String

    /// Connects all devices and terminals.
    ///
    /// - Returns: Connections a second, each of them authenticated.
    /// - Throws: `LoadError` with the first refusal.
    func connect(port: Int) throws(LoadError) -> Double {
        let address = sockaddr_in(host: "127.0.0.1", port: port)
        let start = LoadClock.nanoseconds
        let count = devices.count + terminals.count
        answered = 0
        var opened = 0
        while answered < count {
            // Few at once, or the broker's backlog of connections overflows.
            while opened < count, opened - answered < 90 {
                pool.set(opened, try DeviceSocket(address: address, login: login(opened)))
                pool.flush(opened)
                opened += 1
            }
            turn(milliseconds: 100)
            if let error = lost.first { throw error }
            guard LoadClock.nanoseconds - start < 60_000_000_000 else {
                throw .timeout("connecting devices")
            }
        }
        let seconds = Double(LoadClock.nanoseconds - start) / 1e9
        try subscribe()
        return Double(count) / seconds
    }

    /// Says goodbye for all.
    func disconnect() {
        for index in pool.sockets.indices {
            pool.sockets[index]?.disconnect()
            pool.set(index, nil)
        }
    }

    /// Sends as much as the window allows until the time is over.
    ///
    /// - Parameters:
    ///   - seconds: How long.
    ///   - window: Reports under way at most.
    ///   - consumed: Gives how many of `sent` are done, by the count of whoever does it.
    ///   - meanwhile: Does something else for a moment; false ends the flood early.
    /// - Throws: `LoadError` when a connection ends or nothing moves for ten seconds.
    func flood(
        seconds: Double,
        window: Int,
        consumed: () -> Int,
        meanwhile: () throws(LoadError) -> Bool = { true }
    ) throws(LoadError) {
        let end = LoadClock.nanoseconds + Int64(seconds * 1e9)
        var watch = Watch()
        while LoadClock.nanoseconds < end, try meanwhile() {
            let done = consumed()
            try watch.look(done)
            send(upTo: window - (sent - done))
            turn(milliseconds: 1)
            // The answers to a burst are then read at once: the load shares the machine with what it
            // measures, and should cost little beside it.
            usleep(Self.napMicroseconds)
            if let error = lost.first { throw error }
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
            turn(milliseconds: 1)
            if let error = lost.first { throw error }
        }
    }

    /// Waits until all that was sent is done.
    ///
    /// - Throws: `LoadError` if nothing moves for ten seconds.
    func drain(_ isDone: () -> Bool) throws(LoadError) {
        var watch = Watch()
        while !isDone() {
            try watch.look(marked &+ delivered)
            turn(milliseconds: 10)
            if let error = lost.first { throw error }
        }
    }

    /// Sends one report that asks for a response, which then stands for all reports before it.
    func mark() { send(upTo: 1, burst: 1, marks: true) }

    func forgetDelays() { delays.removeAll(keepingCapacity: true) }

    private func send(upTo count: Int, burst: Int = burst, marks: Bool = false) {
        var left = count
        let now = LoadClock.milliseconds
        for _ in devices.indices where left > 0 {
            let index = order
            order = order + 1 == devices.count ? 0 : order + 1
            guard let socket = pool.sockets[index], socket.unconfirmed == 0 else { continue }
            for _ in 0..<min(burst, left) {
                sent += 1
                left -= 1
                let isMark = marks || sent % Self.markEvery == 0
                sentAt[stream.next & (sentAt.count - 1)] = LoadClock.nanoseconds
                stream.write(at: now, id: isMark ? "m\(sent)" : nil, into: &report)
                socket.publish(topic: topics[index], payload: report)
            }
            pool.flush(index)
        }
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
            if code == 0 { answered += 1 } else { lost.append(.refused(code: code)) }
        case .subscriptionAnswer(let isGranted):
            if isGranted { answered += 1 } else { lost.append(.failed("subscription refused")) }
        case .publish(_, let payload, _):
            if index < devices.count { takeResponse(payload) } else { takeStatus(payload) }
        case .publishAnswer, .other: break
        }
    }

    private func takeResponse(_ payload: UnsafeRawBufferPointer) {
        // {"id":"m123","ok":true,…
        guard let start = payload.firstIndex(of: UInt8(ascii: "m")) else { return }
        let digits = payload[(start + 1)...].prefix { (48...57).contains($0) }
        marked = max(marked, digits.reduce(0) { $0 * 10 + Int($1) - 48 })
    }

    private func takeStatus(_ payload: UnsafeRawBufferPointer) {
        delivered += 1
        guard isTiming, let sequence = ReportStream.sequence(in: payload) else { return }
        delays.append(LoadClock.nanoseconds - sentAt[sequence & (sentAt.count - 1)])
    }

    private func subscribe() throws(LoadError) {
        answered = 0
        for (index, device) in devices.enumerated() {
            pool.sockets[index]?.subscribe(["\(root)/device/\(device.did)/response"])
            pool.flush(index)
        }
        for (index, terminal) in terminals.enumerated() {
            pool.sockets[devices.count + index]?.subscribe(["\(root)/user/\(terminal.uid)/#"])
            pool.flush(devices.count + index)
        }
        var watch = Watch()
        while answered < devices.count + terminals.count {
            turn(milliseconds: 100)
            try watch.look(answered)
            if let error = lost.first { throw error }
        }
    }

    private func login(_ index: Int) -> MQTTWriter.Login {
        if index < devices.count {
            let device = devices[index]
            return .init(
                clientID: device.did,
                username: "device:\(device.did)",
                password: device.secret,
                keepAliveSeconds: 600
            )
        }
        let terminal = terminals[index - devices.count]
        return .init(
            clientID: terminal.terminalID,
            username: "app:\(terminal.appID)",
            password: terminal.token,
            keepAliveSeconds: 600
        )
    }
}

/// Notices that a count has stood still for too long.
private struct Watch {
    private var last = -1
    private var since = LoadClock.nanoseconds

    mutating func look(_ count: Int) throws(LoadError) {
        if count != last {
            last = count
            since = LoadClock.nanoseconds
        } else if LoadClock.nanoseconds - since > 10_000_000_000 {
            throw .timeout("nothing has moved for 10 s, at \(count) messages")
        }
    }
}
