import NIOCore
import NIOHTTP1

/// Extends the time of a connection's guard as its requests progress.
///
/// A header has a time limit of its own, counted from the connection's beginning or the previous answer, and so has a
/// body. An answer must be read within another limit, which each part of a streamed answer restarts. Belongs to the
/// event loop of its connection, after the decoder of HTTP.
final class RequestTimes: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let connection: ConnectionGuard
    private let limits: ListenerLimits
    /// The number of whole requests without a written answer; negative if an answer preceded its request's end.
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
