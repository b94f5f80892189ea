import NIOCore

/// A guard that closes a connection if no place is free or if the client is too slow.
///
/// If no place is free, the connection may stay open for a few seconds, so that `CrowdAnswer` can refuse the client's
/// request. The guard is the first handler of its connection, before TLS. The client's time limit starts when the
/// connection opens. Only later handlers extend the limit: `RequestTimes` and the upgrade to a WebSocket. Single bytes
/// don't extend the limit. A guard belongs to the event loop of its connection.
final class ConnectionGuard: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private let places: ConnectionPlaces
    private let seconds: Int64
    private let party: (SocketAddress?) -> String
    private let tell: ListenerRefusal.Teller
    private var channel: (any Channel)?
    private var place: Int?
    private var deadline: Scheduled<Void>?
    /// Whether the connection's request is refused because no place was free.
    private(set) var isCrowded = false

    /// Creates the guard of a connection.
    ///
    /// - Parameters:
    ///   - places: The listener's places.
    ///   - seconds: The time limit for the first request, including the TLS handshake, in seconds.
    ///   - party: Returns the party (such as an address) for which the connection is counted.
    ///   - tell: Receives the refusals of connections that get no place.
    init(
        _ places: ConnectionPlaces,
        seconds: Int64,
        party: @escaping (SocketAddress?) -> String,
        tell: @escaping ListenerRefusal.Teller
    ) {
        (self.places, self.seconds, self.party, self.tell) = (places, seconds, party, tell)
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

    /// Sets the client's time limit to a number of seconds from now.
    func allow(_ seconds: Int64) {
        deadline?.cancel()
        guard let channel, place != nil || isCrowded else { return }
        deadline = channel.eventLoop.scheduleTask(in: .seconds(seconds)) { [places] in
            places.count(.slow)
            channel.close(promise: nil)
        }
    }

    /// Removes the client's time limit, because other limits apply from now on.
    func allowAll() { deadline?.cancel() }

    /// Records whether the connection is busy, because a busy connection must not lose its place to a newer connection.
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
