import Glibc
import Load
import Synchronization
import Workers

/// An open page of the console, simulated by a thread that reads the event stream as a browser would.
final class OpenConsole: Sendable {
    private let descriptor: Int32
    private let ended = Mutex(false)

    /// The maximum number of bytes in one read.
    private static let chunk = 65_536

    /// Opens the event stream for values of the query parameter `watch`, such as `overview`, and returns after the
    /// first event.
    ///
    /// - Throws: `LoadError` if the service refuses, or sends nothing for ten seconds.
    init(port: Int, token: String, watch: [String]) throws(LoadError) {
        descriptor = try sockaddr_in(host: "127.0.0.1", port: port).connect()
        let request = """
            GET /api/v1/live?watch=\(watch.joined(separator: ",")) HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Accept: text/event-stream\r
            Authorization: Bearer \(token)\r
            \r

            """
        let bytes = Array(request.utf8)
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw .system(function: "send", code: errno)
        }
        try begin()
    }

    deinit { close(descriptor) }

    /// Whether the stream has ended, which should happen only after `end()`.
    var hasEnded: Bool { ended.withLock(\.self) }

    /// Closes the page's event stream.
    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Reads until the first event has arrived, then continues on another thread.
    private func begin() throws(LoadError) {
        let stopwatch = Stopwatch()
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: Self.chunk)
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        while !String(decoding: head, as: UTF8.self).contains("\ndata:") {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0, stopwatch.seconds < 10 else {
                let said = String(decoding: head.prefix(200), as: UTF8.self)
                throw .failed("the console's stream did not begin: \(said)")
            }
            head += buffer[..<count]
        }
        patience = timeval()
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        PlainThread.detach { self.read() }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: Self.chunk)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
        }
        ended.withLock { $0 = true }
    }
}
