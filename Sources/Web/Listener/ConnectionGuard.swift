import NIOCore
import NIOHTTP1

/// Ends a connection whose client is too slow, or that gets no place.
///
/// A header has to come within a time of its own, counted from the connection's begin or from the answer before;
/// so has a body; and an answer must have been taken within another. A byte now and then prolongs none of them.
/// Belongs to one connection's event loop.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let places: ConnectionPlaces
    private let limits: ListenerLimits
    private var place: Int?
    private var deadline: Scheduled<Void>?
    /// Whole requests whose answers are not written yet.
    private var unanswered = 0

    init(_ places: ConnectionPlaces, _ limits: ListenerLimits) {
        self.places = places
        self.limits = limits
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard place == nil else { return }
        let channel = context.channel
        let address = WebContext.household(channel.remoteAddress?.ipAddress ?? "unknown")
        place = places.enter(address) { channel.close(promise: nil) }
        guard place != nil else { return context.close(promise: nil) }
        allow(limits.headerSeconds, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func end() {
        deadline?.cancel()
        deadline = nil
        if let place { places.leave(place) }
        place = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: allow(limits.headerSeconds, context)
        case .body: break
        case .end:
            unanswered += 1
            if let place { places.isBusy(place, true) }
            allow(limits.answerSeconds, context)
        }
        context.fireChannelRead(data)
    }

    func write(
        context: ChannelHandlerContext,
        data: NIOAny,
        promise: EventLoopPromise<Void>?
    ) {
        if case .end = unwrapOutboundIn(data) {
            // An answer may come before its request's end, which is then not waited for.
            unanswered = max(0, unanswered - 1)
            if unanswered == 0 {
                if let place { places.isBusy(place, false) }
                allow(limits.headerSeconds, context)
            }
        }
        context.write(data, promise: promise)
    }

    /// Gives the other side so many seconds from now for what comes next.
    private func allow(_ seconds: Int64, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        guard place != nil else { return }
        let (channel, places) = (context.channel, places)
        deadline = context.eventLoop.scheduleTask(in: .seconds(seconds)) {
            places.count(.slow)
            channel.close(promise: nil)
        }
    }
}
