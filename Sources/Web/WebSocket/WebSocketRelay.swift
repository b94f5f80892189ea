import NIOCore
import NIOWebSocket

/// The client's end of a relay: it takes the bytes out of WebSocket frames, and puts the broker's bytes into some.
///
/// Frames and MQTT packets need not begin together. Nothing is read from one side while the other has not taken what
/// was read before. Belongs to one connection's event loop, as the broker's end does.
final class WebSocketRelay: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = Never
    typealias OutboundOut = WebSocketFrame

    /// The connection's place, until the broker has answered.
    private var place: ConnectionGuard?
    private var context: ChannelHandlerContext?
    private var broker: BrokerRelay?
    /// What came before the broker's connection: no more than one reading gives.
    private var early: [ByteBuffer] = []
    private var isReadOwed = false
    private(set) var hasEnded = false

    /// Relays for a connection, which may be displaced until the broker has answered its first packet.
    init(_ place: ConnectionGuard? = nil) {
        self.place = place
        place?.allow(WebSocketLimits.firstPacketSeconds)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        hasEnded = true
        broker?.end()
        broker = nil
    }

    /// Whether the client has taken most of what was sent to it.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    /// Joins the broker's end, once that is connected.
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

    func read(context: ChannelHandlerContext) {
        // Also where its own answers to pings are not taken.
        guard let broker, broker.isWritable, isWritable else {
            isReadOwed = true
            return
        }
        context.read()
    }

    /// Reads on, where that was put off.
    func readOn() {
        guard isReadOwed, let context else { return }
        isReadOwed = false
        read(context: context)
    }

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

    func channelReadComplete(context: ChannelHandlerContext) {
        broker?.flush()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isWritable {
            broker?.readOn()
            readOn()
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        hasEnded = true
        broker?.end()
        broker = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    // MARK: To the client

    /// Sends bytes of the broker; they leave with the next `flush`.
    func send(_ bytes: ByteBuffer) {
        guard !hasEnded, let context else { return }
        if let place {
            // From here on the broker's own bounds hold.
            place.isBusy(true)
            place.allowAll()
            self.place = nil
        }
        let frame = WebSocketFrame(fin: true, opcode: .binary, data: bytes)
        context.write(wrapOutboundOut(frame), promise: nil)
    }

    /// Hands over what was sent.
    func flush() { context?.flush() }

    /// Says why, and closes both connections.
    func end(_ reason: Reason) {
        guard !hasEnded, let context else { return }
        hasEnded = true
        broker?.end()
        broker = nil
        let channel = context.channel
        var data = channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: reason.code)
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
        context.writeAndFlush(wrapOutboundOut(frame)).whenComplete { _ in
            channel.close(promise: nil)
        }
        // A client that takes nothing more does not keep its place.
        channel.eventLoop.scheduleTask(in: .seconds(WebSocketLimits.farewellSeconds)) {
            channel.close(promise: nil)
        }
    }

    /// Why a relay ends, as the last frame says it.
    enum Reason {
        /// One of the two ended it.
        case normalClosure
        /// Text came, where MQTT is binary.
        case dataType
        /// A frame was not masked, or of an unknown kind.
        case protocolError
        /// The broker does not answer.
        case noBroker

        fileprivate var code: WebSocketErrorCode {
            switch self {
            case .normalClosure: .normalClosure
            case .dataType: .unacceptableData
            case .protocolError: .protocolError
            // "Try again later", for which the library has no name.
            case .noBroker: .unknown(1013)
            }
        }
    }
}

/// The broker's end of a relay.
final class BrokerRelay: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    private let client: WebSocketRelay
    private var context: ChannelHandlerContext?
    private var isReadOwed = false
    /// Set once the connection stands; before that its end is a failure that others tell.
    fileprivate var isJoined = false

    init(_ client: WebSocketRelay) {
        self.client = client
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        if isJoined { client.end(.normalClosure) }
    }

    /// Whether the broker has taken most of what was sent to it.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    func read(context: ChannelHandlerContext) {
        guard client.isWritable else {
            isReadOwed = true
            return
        }
        context.read()
    }

    /// Reads on, where that was put off.
    func readOn() {
        guard isReadOwed, let context else { return }
        isReadOwed = false
        read(context: context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.send(unwrapInboundIn(data))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        client.flush()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isWritable { client.readOn() }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isJoined { client.end(.normalClosure) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Sends bytes of the client; they leave with the next `flush`.
    func send(_ bytes: ByteBuffer) { context?.write(wrapOutboundOut(bytes), promise: nil) }

    /// Hands over what was sent.
    func flush() { context?.flush() }

    /// Closes the broker's connection after what was sent: the broker sends the client's will where that did not
    /// disconnect.
    func end() {
        guard let context else { return }
        context.flush()
        context.close(promise: nil)
    }
}
