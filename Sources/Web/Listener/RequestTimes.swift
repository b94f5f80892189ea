import NIOCore
import NIOHTTP1

/// A handler that extends the time limit of a connection's guard as requests progress.
///
/// A request's header and body have separate time limits. The header's limit begins when the connection opens or the
/// previous answer ends. A third time limit applies to the answer, which the client must read in time. This limit
/// begins at the request's end, and each part of a streamed answer restarts it. The handler comes after the HTTP
/// decoder in the pipeline. Each handler belongs to its connection's event loop.
final class RequestTimes: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let connection: ConnectionGuard
    private let limits: ListenerLimits
    /// The number of complete requests without an answer; negative if an answer was sent before its request was
    /// complete.
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
