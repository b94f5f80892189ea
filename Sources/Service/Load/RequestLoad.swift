import Glibc

/// Requests of many app terminals over one broker, each terminal with a few under way.
///
/// It runs in the thread that calls it.
final class RequestLoad {
    /// What is asked, and how often at the same time by one terminal.
    struct Question: Sendable {
        var method: String
        /// The JSON text of the parameters; nil for a method that goes without a token.
        var params: String
        var needsToken = true
        /// Requests under way of one terminal.
        var window = 4
    }

    private(set) var terminals: [LoadTerminal]
    private let pool: SocketPool
    private let root: String
    private let topics: [[UInt8]]
    private var question: Question
    private var underWay: [Int]
    private var isAsking = true
    private var ready = 0
    private var payload: [UInt8] = []
    /// Makes the ids of one load unlike those of another.
    private let prefix: String

    private(set) var sent = 0
    private(set) var answered = 0
    /// Of `answered`, the refused ones.
    private(set) var refused = 0
    /// What the first refusal said.
    private(set) var firstRefusal: String?
    private(set) var lost: [LoadError] = []

    init(_ question: Question, terminals: [LoadTerminal], root: String) {
        self.question = question
        self.terminals = terminals
        self.root = root
        prefix = question.method.replacing("/", with: "-")
        pool = SocketPool(count: terminals.count)
        underWay = Array(repeating: 0, count: terminals.count)
        topics = terminals.map {
            Array("\(root)/app/\($0.appID)/\($0.terminalID)/request/\(question.method)".utf8)
        }
    }

    /// Connects all terminals, each with its token, or with the app's secret instead.
    ///
    /// - Throws: `LoadError` with the first refusal.
    func connect(port: Int, secret: String? = nil) throws(LoadError) {
        let address = sockaddr_in(host: "127.0.0.1", port: port)
        ready = 0
        for (index, terminal) in terminals.enumerated() {
            let login = MQTTWriter.Login(
                clientID: terminal.terminalID,
                username: "app:\(terminal.appID)",
                password: secret ?? terminal.token,
                keepAliveSeconds: 600
            )
            let socket = try DeviceSocket(address: address, login: login)
            socket.subscribe(["\(root)/app/\(terminal.appID)/\(terminal.terminalID)/response"])
            pool.set(index, socket)
            pool.flush(index)
            // Few at once, or the broker's backlog of connections overflows.
            try wait(until: ready >= 2 * (index - 60))
        }
        try wait(until: ready == 2 * terminals.count)
    }

    /// Says goodbye for all.
    func disconnect() {
        for index in pool.sockets.indices {
            pool.sockets[index]?.disconnect()
            pool.set(index, nil)
        }
    }

    /// Asks with all terminals, and again with each answer, for so many seconds.
    ///
    /// - Returns: Answers a second.
    /// - Throws: `LoadError` when a connection ends or nothing moves for ten seconds.
    func flood(seconds: Double) throws(LoadError) -> Double {
        let begin = (LoadClock.nanoseconds, answered)
        isAsking = true
        askAll()
        while LoadClock.nanoseconds - begin.0 < Int64(seconds * 1e9) {
            turn(milliseconds: 10)
            if let error = lost.first { throw error }
            // Answers are then read many at once: the load shares the machine with what it measures.
            usleep(500)
        }
        let rate = Double(answered - begin.1) * 1e9 / Double(LoadClock.nanoseconds - begin.0)
        isAsking = false
        try wait(until: answered == sent)
        return rate
    }

    /// Asks once with each terminal, and goes on while `turn` is called.
    func askOnce() {
        isAsking = false
        askAll()
    }

    /// Whether everybody who asked has an answer.
    var isDone: Bool { answered == sent }

    /// Takes what has come, and writes what that leads to.
    func turn(milliseconds: Int32) {
        pool.turn(milliseconds: milliseconds) { index, packet in
            take(index, packet)
        } lost: { _, error in
            lost.append(error)
        }
    }

    private func wait(until isReached: @autoclosure () -> Bool) throws(LoadError) {
        let start = LoadClock.nanoseconds
        while !isReached() {
            turn(milliseconds: 100)
            if let error = lost.first { throw error }
            guard LoadClock.nanoseconds - start < 30_000_000_000 else {
                throw .timeout("waiting for \(question.method)")
            }
        }
    }

    private func askAll() {
        for index in terminals.indices {
            while underWay[index] < question.window { ask(index) }
            pool.flush(index)
        }
    }

    private func ask(_ index: Int) {
        sent += 1
        underWay[index] += 1
        payload.removeAll(keepingCapacity: true)
        payload += "{\"id\":\"\(prefix)-\(sent)\"".utf8
        if question.needsToken { payload += ",\"token\":\"\(terminals[index].token)\"".utf8 }
        let params = question.params.replacing("#", with: "\(index)")
        payload += ",\"params\":\(params)}".utf8
        pool.sockets[index]?.publish(topic: topics[index], payload: payload)
    }

    private func take(_ index: Int, _ packet: MQTTPacket) {
        switch packet {
        case .connectionAnswer(let code):
            if code == 0 { ready += 1 } else { lost.append(.refused(code: code)) }
        case .subscriptionAnswer(let isGranted):
            if isGranted { ready += 1 } else { lost.append(.failed("subscription refused")) }
        case .publish(_, let payload, _): takeAnswer(index, payload)
        case .publishAnswer, .other: break
        }
    }

    private func takeAnswer(_ index: Int, _ answer: UnsafeRawBufferPointer) {
        answered += 1
        underWay[index] -= 1
        let text = String(decoding: answer, as: UTF8.self)
        if text.contains("\"error\":") {
            refused += 1
            firstRefusal = firstRefusal ?? text
        }
        // A refreshed token is used from here on.
        if question.method == "session/refresh",
            let token = text.split(separator: "\"token\":\"")
                .dropFirst().first?.prefix(while: { $0 != "\"" })
        {
            terminals[index].token = String(token)
        }
        if isAsking { ask(index) }
    }
}
