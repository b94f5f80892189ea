import Glibc

/// Asks our own HTTP server on this machine; no more of HTTP than that takes.
enum LoopbackHTTP {
    /// The body of an answer; nil where there is none within two seconds.
    static func get(_ path: String, _ host: String, _ port: Int) -> [UInt8]? {
        guard let address = SocketAddress(Banner.reachable(host), port) else { return nil }
        let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard address.withPointer({ connect(descriptor, $0, $1) }) == 0 else { return nil }
        let request = Array(
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".utf8
        )
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) > 0 else {
            return nil
        }
        return body(of: readAll(descriptor))
    }

    private static func readAll(_ descriptor: Int32) -> [UInt8] {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while answer.count < 1 << 20, poll(&wanted, 1, 2000) > 0 {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return answer
    }

    private static func body(of answer: [UInt8]) -> [UInt8]? {
        let text = String(decoding: answer, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        return Array(text[end.upperBound...].utf8)
    }
}
