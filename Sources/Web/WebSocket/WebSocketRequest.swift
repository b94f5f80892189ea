import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Judges the request that opens a WebSocket.
struct WebSocketRequest: Sendable {
    /// The path that is served.
    static let path = "/mqtt"
    /// The subprotocol that MQTT has.
    static let subprotocol = "mqtt"

    let origins: OriginRule
    let isSecure: Bool

    /// Returns why a request is refused, as the answer's status and text; nil where it is welcome.
    func refusal(of head: HTTPRequestHead) -> (status: HTTPResponseStatus, text: String)? {
        let headers = head.headers
        guard head.uri.prefix(while: { $0 != "?" }) == Self.path else {
            return (.notFound, "MQTT over WebSocket is at \(Self.path).")
        }
        guard headers[canonicalForm: "Upgrade"].contains(where: { $0.lowercased() == "websocket" })
        else { return (.upgradeRequired, "This is a WebSocket, for MQTT.") }
        guard
            origins.allows(
                headers.first(name: "Origin"),
                host: headers.first(name: "Host"),
                isSecure: isSecure
            )
        else {
            return (
                .forbidden,
                "Pages of this origin may not connect: see the setting mqtt.webSocketOrigins."
            )
        }
        guard
            headers[canonicalForm: "Sec-WebSocket-Protocol"].contains(where: {
                $0 == Self.subprotocol
            })
        else { return (.badRequest, "The subprotocol \(Self.subprotocol) must be asked for.") }
        return nil
    }
}

/// Answers requests that don't become a WebSocket, and closes their connection.
final class WebSocketRefusal: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let request: WebSocketRequest

    init(_ request: WebSocketRequest) {
        self.request = request
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        // What is right in all that is judged here lacks a key or a version.
        let (status, text) =
            request.refusal(of: head) ?? (.badRequest, "The WebSocket's headers are incomplete.")
        var answer = HTTPResponseHead(version: .http1_1, status: status)
        answer.headers.add(name: "Content-Type", value: "text/plain; charset=utf-8")
        answer.headers.add(name: "Content-Length", value: "\(text.utf8.count + 1)")
        answer.headers.add(name: "Connection", value: "close")
        if status == .upgradeRequired { answer.headers.add(name: "Upgrade", value: "websocket") }
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        let body = context.channel.allocator.buffer(string: text + "\n")
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    /// The upgrade that failed is answered above; all other errors end the connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is NIOWebSocketUpgradeError { return }
        context.close(promise: nil)
    }
}
