import Hummingbird
import Logging
import NIOCore
import NIOEmbedded

@testable import Web

/// A router's answer to a request that a test passes directly to the router, without a listener.
struct Asked {
    let status: Int
    let headers: HTTPFields
    let body: String

    /// Passes a request to a router, as if a client at an address had sent it.
    init(
        _ router: Router<WebContext>,
        _ path: String,
        method: HTTPRequest.Method = .get,
        headers: HTTPFields = [:],
        body: String = "",
        from address: String = "127.0.0.1"
    ) async throws {
        let channel = NIOAsyncTestingChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: address, port: 1)
        let source = ApplicationRequestContextSource(channel: channel, logger: Logger(label: "test"))
        let request = Request(
            head: HTTPRequest(
                method: method,
                scheme: "http",
                authority: "localhost",
                path: path,
                headerFields: headers
            ),
            body: RequestBody(buffer: ByteBuffer(string: body))
        )
        let response = try await router.buildResponder()
            .respond(to: request, context: WebContext(source: source))
        let written = Written()
        try await response.body.write(BodyWriter(written: written))
        status = response.status.code
        self.headers = response.headers
        self.body = String(buffer: written.buffer)
    }

    private final class Written { var buffer = ByteBuffer() }

    private struct BodyWriter: ResponseBodyWriter {
        let written: Written

        func write(_ buffer: ByteBuffer) async throws { written.buffer.writeImmutableBuffer(buffer) }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}

extension Listener {
    /// A listener that is never opened, for routers that tests call directly.
    static var unused: Listener { Listener(name: "test", [], logger: Logger(label: "test"), tell: { _ in }) }
}
