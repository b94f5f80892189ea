import NIOCore
import NIOHTTP1
import NIOWebSocket

/// The checks of a request that opens a WebSocket.
struct WebSocketRequest: Sendable {
    /// The path of the WebSocket.
    static let path = "/mqtt"
    /// The subprotocol of MQTT.
    static let subprotocol = "mqtt"

    let origins: OriginRule
    let isSecure: Bool

    /// The answer to a refused request.
    struct Refusal: Equatable {
        let status: HTTPResponseStatus
        let text: String
        /// Whether the page's origin caused the refusal, of which the operator is then notified.
        var isOfOrigin = false
    }

    /// Returns the refusal of a request on a connection, or nil if the request is accepted.
    func refusal(of head: HTTPRequestHead, on channel: any Channel) -> Refusal? {
        let connection = try? channel.pipeline.syncOperations.handler(type: ConnectionGuard.self)
        guard connection?.isCrowded != true else { return Refusal(status: .serviceUnavailable, text: CrowdAnswer.text) }
        return refusal(of: head)
    }

    /// Returns the refusal of a request, or nil if the request is accepted.
    func refusal(of head: HTTPRequestHead) -> Refusal? {
        let headers = head.headers
        guard head.uri.prefix(while: { $0 != "?" }) == Self.path else {
            return Refusal(status: .notFound, text: "MQTT over WebSocket is at \(Self.path).")
        }
        guard headers[canonicalForm: "Upgrade"].contains(where: { $0.lowercased() == "websocket" }) else {
            return Refusal(status: .upgradeRequired, text: "This address is for MQTT over WebSocket.")
        }
        guard origins.allows(headers.first(name: "Origin"), host: headers.first(name: "Host"), isSecure: isSecure)
        else {
            return Refusal(
                status: .forbidden,
                text: "Pages of this origin may not connect: see the setting mqtt.webSocketOrigins.",
                isOfOrigin: true
            )
        }
        guard headers[canonicalForm: "Sec-WebSocket-Protocol"].contains(where: { $0 == Self.subprotocol }) else {
            return Refusal(status: .badRequest, text: "The subprotocol \(Self.subprotocol) must be requested.")
        }
        return nil
    }
}

/// A handler that answers requests that don't become a WebSocket, and closes their connections.
final class WebSocketRefusal: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let request: WebSocketRequest
    private let tell: ListenerRefusal.Teller

    init(_ request: WebSocketRequest, _ tell: @escaping ListenerRefusal.Teller) {
        self.request = request
        self.tell = tell
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        let channel = context.channel
        // If a request passes these checks but isn't upgraded, it lacks a WebSocket key or version.
        let refusal =
            request.refusal(of: head, on: channel)
            ?? .init(status: .badRequest, text: "The WebSocket's headers are incomplete.")
        if refusal.isOfOrigin {
            let origin = head.headers.first(name: "Origin") ?? ""
            let client = LocalPeer.client(channel, head)
            tell(ListenerRefusal(.origin, address: client, detail: origin))
        }
        let parts = CrowdAnswer.parts(status: refusal.status, text: refusal.text, on: channel)
        for part in parts { context.write(wrapOutboundOut(part), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    /// Closes the connection after an error, unless the error is a failed upgrade.
    ///
    /// After a failed upgrade, `channelRead` answers the request and then closes the connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is NIOWebSocketUpgradeError { return }
        context.close(promise: nil)
    }
}
