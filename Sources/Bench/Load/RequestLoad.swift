import Glibc
import Load

/// Requests of many app terminals over one broker, with a few under way for each terminal.
final class RequestLoad {
    /// A request, and how many of it a terminal has under way.
    struct Question: Sendable {
        var method: String
        /// The JSON text of the parameters; `#` stands for the terminal's index.
        var params: String
        var needsToken = true
        /// The number of requests that a terminal has under way.
        var window = 4
    }

    private(set) var terminals: [LoadTerminal]
    private let connections: LoadConnections
    private let topics: [[UInt8]]
    private var question: Question
    private var underWay: [Int]
    private var isAsking = true
    private var payload: [UInt8] = []
    /// The prefix that makes the ids of this load differ from those of others.
    private let prefix: String

    private(set) var sent = 0
    private(set) var answered = 0
    /// The number of `answered` requests that were refused.
    private(set) var refused = 0
    /// The first refusal.
    private(set) var firstRefusal: String?

    /// Creates the load without connecting; each terminal uses its token, or the app's secret
    /// instead.
    init(_ question: Question, terminals: [LoadTerminal], root: String, secret: String? = nil) {
        self.question = question
        self.terminals = terminals
        prefix = question.method.replacing("/", with: "-")
        underWay = Array(repeating: 0, count: terminals.count)
        connections = LoadConnections(
            terminals.map {
                .init(login: $0.login(secret: secret), filters: ["\($0.space(root))/response"])
            }
        )
        topics = terminals.map { Array("\($0.space(root))/request/\(question.method)".utf8) }
    }

    /// Connects all terminals.
    ///
    /// - Throws: `LoadError` for the first refusal.
    func connect(port: Int) throws(LoadError) { try connections.connect(port: port, take) }

    /// Disconnects all terminals.
    func disconnect() { connections.disconnect() }

    /// Sends requests from all terminals, and a new one after each answer, for a number of seconds.
    ///
    /// - Returns: The answers a second.
    /// - Throws: `LoadError` if a connection ends or nothing moves for ten seconds.
    func flood(seconds: Double) throws(LoadError) -> Double {
        let (before, stopwatch) = (answered, Stopwatch())
        isAsking = true
        askAll()
        while stopwatch.seconds < seconds {
            try turn(milliseconds: 10)
            // This lets many answers be read at once: the load shares the machine with the measured
            // processes.
            usleep(500)
        }
        let rate = Double(answered - before) / stopwatch.seconds
        isAsking = false
        var watch = LoadWatch()
        while !isDone {
            try turn(milliseconds: 100)
            try watch.look(answered)
        }
        return rate
    }

    /// Sends one request from each terminal; `turn` reads the answers.
    func askOnce() {
        isAsking = false
        askAll()
    }

    /// Whether every request has an answer.
    var isDone: Bool { answered == sent }

    /// Handles received packets, and writes the packets that follow from them.
    ///
    /// - Throws: `LoadError` if a connection ends.
    func turn(milliseconds: Int32) throws(LoadError) {
        try connections.turn(milliseconds: milliseconds, take)
    }

    private func askAll() {
        for index in terminals.indices {
            while underWay[index] < question.window { ask(index) }
            connections.flush(index)
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
        connections.queue(index, topic: topics[index], payload: payload)
    }

    private func take(_ index: Int, _: UnsafeRawBufferPointer, answer: UnsafeRawBufferPointer) {
        answered += 1
        underWay[index] -= 1
        let text = String(decoding: answer, as: UTF8.self)
        if text.contains("\"error\":") {
            refused += 1
            firstRefusal = firstRefusal ?? text
        }
        // A refreshed token is used from now on.
        if question.method == "session/refresh",
            let token = text.split(separator: "\"token\":\"")
                .dropFirst().first?.prefix(while: { $0 != "\"" })
        {
            terminals[index].token = String(token)
        }
        if isAsking { ask(index) }
    }
}
