import Glibc
import Load

/// A blocking HTTP/1.1 connection on this machine, with one thread per connection.
final class HTTPSocket: Sendable {
    /// A request or an answer.
    struct Message {
        /// The first line and the headers, in lower case.
        var head: String
        var body: [UInt8]
        /// The time when the last header arrived, in nanoseconds of `LoadClock`.
        var at: Int64
    }

    private let descriptor: Int32

    /// Takes over an open connection.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Connects to a port of this machine, from the local address `source`.
    ///
    /// Listeners limit the connections from each address. Another address, such as 127.0.0.2, gets its own limit.
    convenience init(port: Int, from source: String = "127.0.0.1") throws(LoadError) {
        self.init(try sockaddr_in(host: "127.0.0.1", port: port).connect(from: sockaddr_in(host: source, port: 0)))
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Returns the bytes of a request with a token, where `line` contains the method and path.
    static func request(_ line: String, token: String, body: String? = nil, host: String = "127.0.0.1") -> [UInt8] {
        let content = body.map { "Content-Type: application/json\r\nContent-Length: \($0.utf8.count)\r\n\r\n\($0)" }
        let head = "\(line) HTTP/1.1\r\nHost: \(host)\r\nAuthorization: Bearer \(token)\r\n"
        return Array((head + (content ?? "\r\n")).utf8)
    }

    /// Sends bytes.
    func send(_ bytes: [UInt8]) throws(LoadError) {
        guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw .system(function: "send", code: errno)
        }
    }

    /// Waits for bytes and appends them.
    func receive(into bytes: inout [UInt8]) throws(LoadError) {
        let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { space in
            let count = recv(descriptor, space.baseAddress, space.count, 0)
            if count > 0 { bytes.append(contentsOf: space[..<count]) }
            return count
        }
        guard count > 0 || count < 0 && errno == EINTR else { throw .closed }
    }

    /// Waits for the first line and the headers.
    ///
    /// - Returns: The first line and the headers in lower case, and the bytes after them.
    func head() throws(LoadError) -> (head: String, rest: [UInt8]) {
        var bytes: [UInt8] = []
        while true {
            try receive(into: &bytes)
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
            let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
            return (head, Array(bytes[end.upperBound...]))
        }
    }

    /// Waits for a message.
    ///
    /// The other side must not send the next message before this function returns. Otherwise bytes of the next message
    /// would end up in the body of this message.
    func message() throws(LoadError) -> Message {
        var (head, body) = try head()
        let at = LoadClock.nanoseconds
        let length = LoadText.number("content-length: ", in: head) ?? 0
        while body.count < length { try receive(into: &body) }
        return Message(head: head, body: body, at: at)
    }

    /// Ends the connection, so that a waiting thread gets an error.
    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
