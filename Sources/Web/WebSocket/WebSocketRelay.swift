import NIOCore
import NIOWebSocket

/// An end of a relay.
///
/// An end reads data only while the other end keeps up with earlier data.
private protocol RelayEnd: ChannelDuplexHandler {
    var context: ChannelHandlerContext? { get set }
    var isReadOwed: Bool { get set }
    /// The other end, which gets the data that this end receives; nil while the other end isn't connected.
    var other: (any RelayEnd)? { get }
    /// Whether more data may be read.
    var mayRead: Bool { get }
}

extension RelayEnd {
    /// Whether the peer has read most of the data that was sent to it.
    fileprivate var isWritable: Bool { context?.channel.isWritable ?? false }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func read(context: ChannelHandlerContext) {
        guard mayRead else {
            isReadOwed = true
            return
        }
        context.read()
    }

    fileprivate func readOn() {
        guard isReadOwed, let context else { return }
        isReadOwed = false
        read(context: context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        other?.flush()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isWritable {
            other?.readOn()
            readOn()
        }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    fileprivate func flush() { context?.flush() }
}

/// The client's end of a relay, which translates between bytes and WebSocket frames.
///
/// An MQTT packet need not begin at the beginning of a frame.
final class WebSocketRelay: RelayEnd {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = Never
    typealias OutboundOut = WebSocketFrame

    /// The connection's guard; nil once the broker has answered.
    private var place: ConnectionGuard?
    fileprivate var context: ChannelHandlerContext?
    fileprivate var isReadOwed = false
    private var broker: BrokerRelay?
    /// The data that the client sent before the relay was connected to the broker.
    ///
    /// The relay reads at most once before the broker is connected, so the data can't become long.
    private var early: [ByteBuffer] = []
    private(set) var hasEnded = false

    /// Creates the client's end of a relay.
    ///
    /// Until the broker answers the first packet, the client's connection can lose its place to a newer connection.
    init(_ place: ConnectionGuard? = nil) {
        self.place = place
        place?.allow(WebSocketLimits.firstPacketSeconds)
    }

    fileprivate var other: (any RelayEnd)? { broker }

    /// Whether the broker reads the client's data fast enough, and the client reads the data that is sent to it.
    ///
    /// Because of the second condition, a client that sends pings must also read the answers to them.
    fileprivate var mayRead: Bool { broker?.isWritable == true && isWritable }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        hasEnded = true
        broker?.end()
        broker = nil
    }

    /// Links this end to the broker's end, which has just connected to the broker.
    func join(_ broker: BrokerRelay) {
        guard !hasEnded else { return broker.end() }
        self.broker = broker
        broker.isJoined = true
        for bytes in early { broker.send(bytes) }
        early = []
        broker.flush()
        readOn()
    }

    // MARK: From the client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard !hasEnded else { return }
        guard frame.maskKey != nil else { return end(.protocolError) }
        switch frame.opcode {
        case .binary, .continuation:
            guard let broker else { return early.append(frame.unmaskedData) }
            broker.send(frame.unmaskedData)
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .pong: break
        case .connectionClose: end(.normalClosure)
        case .text: end(.dataType)
        default: end(.protocolError)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        hasEnded = true
        broker?.end()
        broker = nil
        context.fireChannelInactive()
    }

    // MARK: To the client

    /// Writes the broker's bytes, which are sent with the next `flush`.
    func send(_ bytes: ByteBuffer) {
        guard !hasEnded, let context else { return }
        if let place {
            // The guard no longer limits the connection, because the broker has answered and applies its own limits.
            place.isBusy(true)
            place.allowAll()
            self.place = nil
        }
        let frame = WebSocketFrame(fin: true, opcode: .binary, data: bytes)
        context.write(wrapOutboundOut(frame), promise: nil)
    }

    /// Sends the reason to the client, and closes both connections.
    func end(_ reason: Reason) {
        guard !hasEnded, let context else { return }
        hasEnded = true
        broker?.end()
        broker = nil
        let channel = context.channel
        var data = channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: reason.code)
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
        context.writeAndFlush(wrapOutboundOut(frame)).whenComplete { _ in channel.close(promise: nil) }
        // A client that doesn't read the last frame is disconnected too.
        channel.eventLoop.scheduleTask(in: .seconds(WebSocketLimits.farewellSeconds)) { channel.close(promise: nil) }
    }

    /// The reason for a relay's end, as sent in the last frame.
    enum Reason {
        /// The client or the broker ended the connection.
        case normalClosure
        /// A text frame was received, but MQTT is binary.
        case dataType
        /// A frame was unmasked or had an unknown kind.
        case protocolError
        /// The broker doesn't answer.
        case noBroker

        fileprivate var code: WebSocketErrorCode {
            switch self {
            case .normalClosure: .normalClosure
            case .dataType: .unacceptableData
            case .protocolError: .protocolError
            // The code means "try again later". The library has no name for it.
            case .noBroker: .unknown(1013)
            }
        }
    }
}

/// The broker's end of a relay.
final class BrokerRelay: RelayEnd {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    private let client: WebSocketRelay
    fileprivate var context: ChannelHandlerContext?
    fileprivate var isReadOwed = false
    /// Whether this end is connected to the broker and linked to the client's end.
    ///
    /// Before that, the connect call reports failures. After that, this end tells the client's end when the connection
    /// to the broker ends.
    fileprivate var isJoined = false

    init(_ client: WebSocketRelay) {
        self.client = client
    }

    fileprivate var other: (any RelayEnd)? { client }

    fileprivate var mayRead: Bool { client.isWritable }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        if isJoined { client.end(.normalClosure) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { client.send(unwrapInboundIn(data)) }

    func channelInactive(context: ChannelHandlerContext) {
        if isJoined { client.end(.normalClosure) }
        context.fireChannelInactive()
    }

    /// Writes the client's bytes, which are sent with the next `flush`.
    func send(_ bytes: ByteBuffer) { context?.write(wrapOutboundOut(bytes), promise: nil) }

    /// Closes the connection to the broker after the written bytes have been sent.
    ///
    /// The broker publishes the client's will if the client hasn't sent a DISCONNECT.
    func end() {
        guard let context else { return }
        context.flush()
        context.close(promise: nil)
    }
}
