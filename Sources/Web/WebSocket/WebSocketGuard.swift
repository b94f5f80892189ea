import NIOCore

/// Gives a connection its place, and ends it where it gets none or does not become a WebSocket in time.
///
/// Belongs to one connection's event loop.
final class WebSocketGuard: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private let places: ConnectionPlaces
    private let limits: WebSocketLimits
    private var place: Int?
    private var deadline: Scheduled<Void>?

    init(_ places: ConnectionPlaces, _ limits: WebSocketLimits) {
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

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    /// The connection is a WebSocket now, and keeps its place for as long as it lasts.
    func upgraded() {
        deadline?.cancel()
        if let place { places.isBusy(place, true) }
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard place == nil else { return }
        let (channel, places) = (context.channel, places)
        place = places.enter(Self.party(channel.remoteAddress)) { channel.close(promise: nil) }
        guard place != nil else { return context.close(promise: nil) }
        deadline = context.eventLoop.scheduleTask(in: .seconds(limits.upgradeSeconds)) {
            places.count(.slow)
            channel.close(promise: nil)
        }
    }

    private func end() {
        deadline?.cancel()
        if let place { places.leave(place) }
        place = nil
    }

    /// Returns what a connection is counted by: its household, but each one from this machine by itself, since a
    /// proxy may stand there for many.
    private static func party(_ address: SocketAddress?) -> String {
        guard let text = address?.ipAddress else { return "unknown" }
        return LocalPeer.isLocal(text)
            ? "\(text) \(address?.port ?? 0)" : WebContext.household(text)
    }
}

/// The other end of a connection, where that is this machine.
enum LocalPeer {
    /// Tells whether an address is one by which a proxy on this machine comes.
    static func isLocal(_ address: String) -> Bool {
        let address = unmapped(address)
        return address == "127.0.0.1" || address == "::1"
    }

    /// Returns an IPv4 address as such where a listener of all addresses tells it in IPv6 form (`::ffff:192.0.2.1`).
    static func unmapped(_ address: String) -> String {
        let prefix = "::ffff:"
        guard address.lowercased().hasPrefix(prefix), address.contains(".") else { return address }
        return String(address.dropFirst(prefix.count))
    }
}
