import NIOCore

/// Takes a place for a connection, and closes the connection if there's none or its client is too slow.
///
/// A connection without a place is kept for a moment, so that its request gets an answer (`CrowdAnswer`). The guard is
/// its connection's first handler, before TLS. The client's time starts when the connection begins; handlers that see
/// the requests extend it (`RequestTimes`, the upgrade of a WebSocket). A byte now and then doesn't extend it. Belongs
/// to the event loop of its connection.
final class ConnectionGuard: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private let places: ConnectionPlaces
    private let seconds: Int64
    private let party: (SocketAddress?) -> String
    private let tell: ListenerRefusal.Teller
    private var channel: (any Channel)?
    private var place: Int?
    private var deadline: Scheduled<Void>?
    /// Whether the connection has no place, so that it gets a refusal instead of service.
    private(set) var isCrowded = false

    /// Creates the guard of a connection.
    ///
    /// - Parameters:
    ///   - places: The listener's places.
    ///   - seconds: The time of the first request, TLS included.
    ///   - party: Returns the party that the connection counts for.
    ///   - tell: Receives connections that get no place.
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

    func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { begin(context.channel) } }

    func channelActive(context: ChannelHandlerContext) {
        begin(context.channel)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    /// Gives the client a number of seconds from now for its next step.
    func allow(_ seconds: Int64) {
        deadline?.cancel()
        guard let channel, place != nil || isCrowded else { return }
        deadline = channel.eventLoop.scheduleTask(in: .seconds(seconds)) { [places] in
            places.count(.slow)
            channel.close(promise: nil)
        }
    }

    /// Removes the client's time limit, once other limits apply.
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
