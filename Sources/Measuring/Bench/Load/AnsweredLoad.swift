import Glibc
import Load

/// A load in which many clients of one broker send messages that are all answered.
///
/// Each client sends a new message only while fewer than `window` of its messages are unanswered. The load runs in the
/// thread that calls it, and a subclass writes the messages.
class AnsweredLoad {
    private let connections: LoadConnections
    private let topics: [[UInt8]]
    private let window: Int
    private let napMicroseconds: UInt32
    private var underWay: [Int]
    private var isSending = true
    private var payload: [UInt8] = []

    private(set) var sent = 0
    private(set) var answered = 0
    /// The time from each message to its answer, in milliseconds.
    ///
    /// The times are recorded while `isTiming` is true. They are correct only if `window` is 1.
    private(set) var delays: [Double] = []
    var isTiming = false
    private var sentAt: [Stopwatch]

    /// Creates the load without connecting.
    ///
    /// Each client publishes to its own topic, and has up to `window` unanswered messages.
    init(_ members: [LoadConnections.Member], topics: [String], window: Int, napMicroseconds: UInt32) {
        connections = LoadConnections(members)
        self.topics = topics.map { Array($0.utf8) }
        self.window = window
        self.napMicroseconds = napMicroseconds
        underWay = Array(repeating: 0, count: topics.count)
        sentAt = Array(repeating: Stopwatch(), count: topics.count)
    }

    /// Writes a client's next message into `payload`.
    ///
    /// All clients' messages are numbered together, from 1. During the call, `sent` is the number of this message.
    func write(_ index: Int, into payload: inout [UInt8]) {}

    /// Handles the answer to a client's message.
    func take(_ answer: UnsafeRawBufferPointer, of index: Int) {}

    /// Connects all clients.
    ///
    /// - Throws: `LoadError` if a connection or a subscription fails, or if no answer arrives for ten seconds.
    func connect(port: Int) throws(LoadError) { try connections.connect(port: port, take) }

    /// Disconnects all clients.
    func disconnect() { connections.disconnect() }

    /// Sends each client's first messages.
    ///
    /// If `isContinued` is true, `turn` then sends a new message after each answer.
    func send(isContinued: Bool) {
        isSending = isContinued
        for index in topics.indices {
            while underWay[index] < window { send(index) }
            connections.flush(index)
        }
    }

    /// Runs the load for a number of seconds.
    ///
    /// - Returns: The number of answers per second.
    /// - Throws: `LoadError` if a connection ends, or if no answer arrives for ten seconds.
    @discardableResult
    func run(seconds: Double) throws(LoadError) -> Double {
        let (before, stopwatch) = (answered, Stopwatch())
        var watch = LoadWatch()
        while stopwatch.seconds < seconds {
            try turn(milliseconds: 10)
            try watch.look(answered)
            // After a short sleep, one read gets many answers. The load then leaves more processor time to the measured
            // processes.
            usleep(napMicroseconds)
        }
        return Double(answered - before) / stopwatch.seconds
    }

    /// Stops sending and waits for the answers to all messages already sent.
    ///
    /// - Throws: `LoadError` if a connection ends, or if no answer arrives for ten seconds.
    func finish() throws(LoadError) {
        isSending = false
        var watch = LoadWatch()
        while !isDone {
            try turn(milliseconds: 100)
            try watch.look(answered)
        }
    }

    /// Whether every message has been answered.
    var isDone: Bool { answered == sent }

    /// Handles received packets, and sends the packets that result from them, such as a client's next message.
    ///
    /// - Throws: `LoadError` if a connection ends.
    func turn(milliseconds: Int32) throws(LoadError) { try connections.turn(milliseconds: milliseconds, take) }

    private func send(_ index: Int) {
        sent += 1
        underWay[index] += 1
        sentAt[index] = Stopwatch()
        payload.removeAll(keepingCapacity: true)
        write(index, into: &payload)
        connections.queue(index, topic: topics[index], payload: payload)
    }

    private func take(_ index: Int, _: UnsafeRawBufferPointer, answer: UnsafeRawBufferPointer) {
        answered += 1
        underWay[index] -= 1
        if isTiming { delays.append(sentAt[index].seconds * 1000) }
        take(answer, of: index)
        if isSending { send(index) }
    }
}
