import NIOCore
import NIOHTTP1

/// Tells the guard of a connection how far its requests are.
///
/// A header has to come within a time of its own, counted from the connection's begin or from the answer before;
/// so has a body; and an answer must have been taken within another, counted anew from each part of one that goes on.
/// Belongs to one connection's event loop, behind the decoder of HTTP.
final class RequestTimes: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let connection: ConnectionGuard
    private let limits: ListenerLimits
    /// Whole requests whose answers are not written yet; negative where an answer came before its request's end.
    private var unanswered = 0

    init(_ connection: ConnectionGuard, _ limits: ListenerLimits) {
        self.connection = connection
        self.limits = limits
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: connection.allow(limits.headerSeconds)
        case .body: break
        case .end:
            unanswered += 1
            guard unanswered > 0 else { break }
            connection.isBusy(true)
            connection.allow(ListenerLimits.answerSeconds)
        }
        context.fireChannelRead(data)
    }

    func write(
        context: ChannelHandlerContext,
        data: NIOAny,
        promise: EventLoopPromise<Void>?
    ) {
        switch unwrapOutboundIn(data) {
        case .head: break
        case .body: connection.allow(ListenerLimits.answerSeconds)
        case .end:
            unanswered -= 1
            if unanswered <= 0 {
                connection.isBusy(false)
                connection.allow(limits.headerSeconds)
            }
        }
        context.write(data, promise: promise)
    }
}
