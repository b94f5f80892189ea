import NIOCore

/// Gives a connection its place, and ends it where it gets none or its client is too slow.
///
/// One without a place is kept for a moment, so that its request gets an answer (`CrowdAnswer`).
/// The first handler of its connection, before TLS. The client has a time from the connection's begin on; what sees
/// the requests gives it more (`RequestTimes`, the upgrade of a WebSocket). A byte now and then prolongs nothing.
/// Belongs to one connection's event loop.
final class ConnectionGuard: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private let places: ConnectionPlaces
    private let seconds: Int64
    private let party: (SocketAddress?) -> String
    private let tell: ListenerRefusal.Teller
    private var channel: (any Channel)?
    private var place: Int?
    private var deadline: Scheduled<Void>?
    /// Whether it has no place, and is to be told so instead of being served.
    private(set) var isCrowded = false

    /// Prepares the guard of a connection.
    ///
    /// - Parameters:
    ///   - places: The listener's places.
    ///   - seconds: The time of the first request, TLS included.
    ///   - party: What the connection is counted by.
    ///   - tell: Told of connections that get no place.
    init(
        _ places: ConnectionPlaces,
        seconds: Int64,
        party: @escaping (SocketAddress?) -> String,
        tell: @escaping ListenerRefusal.Teller
    ) {
        self.places = places
        self.seconds = seconds
        self.party = party
        self.tell = tell
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context.channel) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context.channel)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    /// Gives the client so many seconds from now for what comes next.
    func allow(_ seconds: Int64) {
        deadline?.cancel()
        guard let channel, place != nil || isCrowded else { return }
        deadline = channel.eventLoop.scheduleTask(in: .seconds(seconds)) { [places] in
            places.count(.slow)
            channel.close(promise: nil)
        }
    }

    /// Gives the client all the time that it wants: other bounds hold from here on.
    func allowAll() { deadline?.cancel() }

    /// Notes whether the connection may be closed for a newer one.
    func isBusy(_ isBusy: Bool) {
        if let place { places.isBusy(place, isBusy) }
    }

    private func begin(_ channel: any Channel) {
        guard self.channel == nil else { return }
        self.channel = channel
        place = places.enter(party(channel.remoteAddress)) { channel.close(promise: nil) }
        if place != nil { return allow(seconds) }
        tell(ListenerRefusal(.crowded, address: LocalPeer.address(of: channel)))
        isCrowded = places.enterCrowd()
        guard isCrowded else { return channel.close(promise: nil) }
        allow(ListenerLimits.crowdSeconds)
    }

    private func end() {
        deadline?.cancel()
        deadline = nil
        if let place { places.leave(place) }
        if isCrowded { places.leaveCrowd() }
        (place, isCrowded) = (nil, false)
    }
}
