import NIOCore
import NIOHTTP1

/// Answers the request of a connection without a place in place of the pages, and asks the client to retry later.
///
/// Belongs to the event loop of its connection, after the decoder of HTTP. A connection with a place passes unchanged.
final class CrowdAnswer: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The text of the answer, for pages and WebSockets alike.
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

    /// Returns an answer of one line of text without its end, after which the connection must be closed.
    ///
    /// A temporary refusal includes the time to retry after.
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
