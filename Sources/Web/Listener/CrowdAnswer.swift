import NIOCore
import NIOHTTP1

/// A handler that refuses the requests of connections for which no place is free.
///
/// The handler comes after the HTTP decoder in the pipeline. Each handler belongs to its connection's event loop. The
/// requests of a connection with a place pass through the handler unchanged.
final class CrowdAnswer: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The text of the answer, for both pages and WebSockets.
    static let text = "There are too many connections, from this address or in total."
    /// The time after which a client can retry, in seconds.
    static let retrySeconds = 30

    private let connection: ConnectionGuard
    private var hasAnswered = false

    init(_ connection: ConnectionGuard) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard connection.isCrowded || hasAnswered else { return context.fireChannelRead(data) }
        guard case .head = unwrapInboundIn(data), !hasAnswered else { return }
        hasAnswered = true
        let channel = context.channel
        for part in Self.parts(status: .serviceUnavailable, text: Self.text, on: channel) {
            context.write(wrapOutboundOut(part), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    /// Returns the head and the body of an answer with one line of text.
    ///
    /// The caller writes the end of the answer and closes the connection. An answer with status 503 also says when to
    /// retry.
    static func parts(status: HTTPResponseStatus, text: String, on channel: any Channel) -> [HTTPServerResponsePart] {
        var head = HTTPResponseHead(version: .http1_1, status: status)
        head.headers.add(name: "Content-Type", value: "text/plain; charset=utf-8")
        head.headers.add(name: "Content-Length", value: "\(text.utf8.count + 1)")
        head.headers.add(name: "Connection", value: "close")
        if status == .upgradeRequired { head.headers.add(name: "Upgrade", value: "websocket") }
        if status == .serviceUnavailable { head.headers.add(name: "Retry-After", value: "\(retrySeconds)") }
        let body = channel.allocator.buffer(string: text + "\n")
        return [.head(head), .body(.byteBuffer(body))]
    }
}
