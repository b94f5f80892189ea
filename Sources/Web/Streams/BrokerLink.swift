import NIOCore

/// A connection to the broker, from which the stream reads packets one by one.
///
/// The link reads only when the stream asks for a packet. Until then, the broker queues the messages, within its
/// limits.
final class BrokerLink: Sendable {
    /// The next packet, or the reason why no packet was received.
    enum Event {
        case packet(MQTTPacket)
        /// No packet arrived within the time limit.
        case silence
        /// The connection has ended.
        case closed
    }

    private let channel: any Channel
    private let reader: NIOLoopBound<PacketReader>

    /// Wraps a connection.
    ///
    /// `addHandlers` must already have added the reader to the connection's pipeline.
    init(_ channel: any Channel, _ reader: NIOLoopBound<PacketReader>) {
        self.channel = channel
        self.reader = reader
    }

    /// Adds the decoder and the reader to a new connection.
    static func addHandlers(to channel: any Channel) throws -> NIOLoopBound<PacketReader> {
        let reader = PacketReader()
        try channel.pipeline.syncOperations.addHandlers(ByteToMessageHandler(MQTTDecoder()), reader)
        return NIOLoopBound(reader, eventLoop: channel.eventLoop)
    }

    /// Waits for the next packet; only one task may wait at a time.
    func next(within limit: TimeAmount) async -> Event {
        let promise = channel.eventLoop.makePromise(of: Event.self)
        channel.eventLoop.execute { [reader] in reader.value.wait(for: promise, within: limit) }
        return (try? await promise.futureResult.get()) ?? .closed
    }

    /// Sends a packet.
    func send(_ packet: ByteBuffer) { channel.writeAndFlush(packet, promise: nil) }

    /// Sends a DISCONNECT and closes the connection.
    func close() {
        channel.writeAndFlush(MQTTPacket.disconnect).whenComplete { [channel] _ in channel.close(promise: nil) }
    }
}

/// A handler that keeps received packets until the stream asks for them.
final class PacketReader: ChannelInboundHandler {
    typealias InboundIn = MQTTPacket

    private var context: ChannelHandlerContext?
    private var packets: [MQTTPacket] = []
    private var hasEnded = false
    private var waiting: EventLoopPromise<BrokerLink.Event>?
    private var deadline: Scheduled<Void>?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { end() }
    func channelInactive(context: ChannelHandlerContext) { end() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        packets.append(unwrapInboundIn(data))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        answer()
        if waiting != nil { context.read() }
    }

    func wait(for promise: EventLoopPromise<BrokerLink.Event>, within limit: TimeAmount) {
        waiting?.succeed(.silence)
        waiting = promise
        answer()
        guard waiting != nil, let context else { return }
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { self.settle(.silence) }
        context.read()
    }

    private func answer() {
        guard waiting != nil else { return }
        if !packets.isEmpty {
            settle(.packet(packets.removeFirst()))
        } else if hasEnded {
            settle(.closed)
        }
    }

    private func settle(_ event: BrokerLink.Event) {
        deadline?.cancel()
        deadline = nil
        waiting?.succeed(event)
        waiting = nil
    }

    private func end() {
        (hasEnded, context) = (true, nil)
        answer()
    }
}
