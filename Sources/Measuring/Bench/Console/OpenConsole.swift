import Glibc
import Load
import Synchronization
import Workers

/// An open page of the console: a thread that reads the event stream.
final class OpenConsole: Sendable {
    private let socket: HTTPSocket
    private let ended = Mutex(false)

    /// Opens an event stream with values of `watch`, such as `overview`, and awaits the first event.
    ///
    /// - Throws: `LoadError` if the service refuses the request, or sends nothing for a while.
    init(port: Int, token: String, watch: [String]) throws(LoadError) {
        socket = try HTTPSocket(port: port)
        let path = "/api/v1/live?watch=\(watch.joined(separator: ","))"
        try socket.send(HTTPSocket.request("GET \(path)", token: token, host: "127.0.0.1:\(port)"))
        var (head, bytes) = try socket.head()
        while !String(decoding: bytes, as: UTF8.self).contains("\ndata:") {
            guard head.hasPrefix("http/1.1 200") else { throw .failed("the console's stream did not begin: \(head)") }
            try socket.receive(into: &bytes)
        }
        PlainThread.detach { self.read() }
    }

    /// Whether the stream has ended.
    ///
    /// Before `end` is called, the stream shouldn't end.
    var hasEnded: Bool { ended.withLock(\.self) }

    /// Closes the page.
    func end() { socket.end() }

    private func read() {
        var bytes: [UInt8] = []
        while (try? socket.receive(into: &bytes)) != nil { bytes.removeAll(keepingCapacity: true) }
        ended.withLock { $0 = true }
    }
}
