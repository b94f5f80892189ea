import Glibc
import Load
import Synchronization
import Workers

/// The received strings that contain events, each with the moment of its arrival in nanoseconds.
final class EventArrivals: Sendable {
    typealias Arrival = (at: Int64, bytes: [UInt8])

    private let all = Mutex<[Arrival]>([])

    /// Notes an arrival.
    func note(_ bytes: [UInt8], at moment: Int64) { all.withLock { $0.append((moment, bytes)) } }

    /// Waits until `isEnough` returns true, then returns the arrivals and forgets them.
    ///
    /// - Throws: `LoadError` if nothing arrives for ten seconds.
    func take(until isEnough: ([Arrival]) -> Bool) async throws -> [Arrival] {
        var watch = LoadWatch()
        while !isEnough(all.withLock(\.self)) {
            try watch.look(all.withLock(\.count))
            try await Task.sleep(for: .milliseconds(20))
        }
        return all.withLock { all in
            defer { all = [] }
            return all
        }
    }
}

extension [EventArrivals.Arrival] {
    /// The number of arrivals per second between the first and the last arrival.
    var perSecond: Double {
        guard let first, let last, count > 1 else { return 0 }
        return Double(count - 1) * 1e9 / Double(last.at - first.at)
    }

    /// Returns the delays of all received alerts in milliseconds.
    ///
    /// `sent` contains the moment at which each alert was sent. The value of an alert is its index in `sent`.
    func delays(since sent: [Int64]) -> [Double] {
        flatMap { arrival in
            let text = String(decoding: arrival.bytes, as: UTF8.self)
            let values = text.split(separator: "\"value\":", omittingEmptySubsequences: false).dropFirst()
            return values.compactMap { Int($0.prefix(while: \.isNumber)) }.map { Double(arrival.at - sent[$0]) / 1e6 }
        }
    }
}

/// A local receiver of webhooks, which waits for the disk before it answers 204.
///
/// A real receiver that must not lose an event would also wait for the disk.
final class EventReceiver: RunningPart, Sendable {
    private let descriptor: Int32
    private let disk: Mutex<BenchDisk>
    let arrivals = EventArrivals()
    let url: String

    /// Opens a port and accepts connections to it, each on a thread of its own.
    ///
    /// - Throws: `LoadError`.
    init(in folder: String) throws {
        disk = Mutex(try BenchDisk(path: folder + "/received"))
        let port: Int
        (descriptor, port) = try sockaddr_in(host: "127.0.0.1", port: 0).listen()
        url = "http://127.0.0.1:\(port)/"
        PlainThread.detach { self.accept() }
    }

    func stop() async { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private func accept() {
        while true {
            let connection = Glibc.accept(descriptor, nil, nil)
            guard connection >= 0 else { break }
            let socket = HTTPSocket(connection)
            PlainThread.detach { while (try? self.answer(socket)) != nil {} }
        }
        close(descriptor)
    }

    private func answer(_ socket: HTTPSocket) throws {
        let post = try socket.message()
        arrivals.note(post.body, at: post.at)
        try disk.withLock { try $0.commit() }
        try socket.send(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
    }
}

/// A stream of alerts that is opened with an API key and read by a separate thread.
final class AlertStream: Sendable {
    private let socket: HTTPSocket

    /// Opens the stream.
    ///
    /// - Throws: `LoadError` if the service refuses the request.
    init(port: Int, from address: String, root: String, key: String, into arrivals: EventArrivals) throws {
        socket = try HTTPSocket(port: port, from: address)
        try socket.send(HTTPSocket.request("GET /\(root)/events?types=device.alert", token: key))
        let (head, _) = try socket.head()
        guard head.hasPrefix("http/1.1 200") else { throw LoadError.failed("refused: \(head)") }
        PlainThread.detach { [socket] in
            var bytes: [UInt8] = []
            while (try? socket.receive(into: &bytes)) != nil {
                let now = LoadClock.nanoseconds
                guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { continue }
                arrivals.note(Array(bytes[...end]), at: now)
                bytes.removeFirst(end + 1)
            }
        }
    }

    /// Closes the stream.
    func end() { socket.end() }
}
