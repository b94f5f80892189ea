import NIOCore

/// An MQTT 5 packet from the broker, with the parts that a stream needs.
enum MQTTPacket: Equatable {
    /// The broker's answer to CONNECT.
    case connected(code: UInt8)
    /// The broker's answer to SUBSCRIBE, with a code for each filter.
    case subscribed(codes: [UInt8])
    /// A message, which the stream must acknowledge if the message has an id.
    case message(topic: String, payload: [UInt8], id: UInt16?)
    /// A DISCONNECT, which the broker sends when the gate closes the connection.
    case disconnected
    /// Any other packet.
    case other

    /// Parses the content of a packet, or returns nil if it is malformed.
    init?(kind: UInt8, _ body: ByteBuffer) {
        var body = body
        switch kind >> 4 {
        case 2:
            guard body.readInteger(as: UInt8.self) != nil, let code = body.readInteger(as: UInt8.self) else {
                return nil
            }
            self = .connected(code: code)
        case 3:
            guard let length = body.readInteger(as: UInt16.self), let topic = body.readString(length: Int(length))
            else {
                return nil
            }
            var id: UInt16?
            if kind & 6 != 0 {
                id = body.readInteger()
                guard id != nil else { return nil }
            }
            guard body.skipProperties() else { return nil }
            self = .message(topic: topic, payload: Array(buffer: body), id: id)
        case 9:
            guard body.readInteger(as: UInt16.self) != nil, body.skipProperties() else { return nil }
            self = .subscribed(codes: Array(buffer: body))
        case 14: self = .disconnected
        default: self = .other
        }
    }

    // MARK: Packets to the broker

    /// Returns a CONNECT packet for a session that ends with the connection.
    static func connect(clientID: String, username: String, password: String) -> ByteBuffer {
        packet(0x10) { body in
            body.write(text: "MQTT")
            body.writeBytes([5, 0xC2])
            body.writeInteger(UInt16(keepAliveSeconds))
            // The Receive Maximum is 20: the broker may send up to 20 unacknowledged messages. Further messages wait in
            // the broker.
            body.writeBytes([3, 0x21, 0, 20])
            for text in [clientID, username, password] { body.write(text: text) }
        }
    }

    /// Returns a SUBSCRIBE packet with QoS 1.
    ///
    /// When the broker gets this packet, it first sends the retained messages that match the filters.
    static func subscribe(_ filters: [String]) -> ByteBuffer {
        packet(0x82) { body in
            body.writeBytes([0, 1, 0])
            for filter in filters {
                body.write(text: filter)
                body.writeInteger(UInt8(1))
            }
        }
    }

    /// Returns the acknowledgement of a message.
    static func acknowledge(_ id: UInt16) -> ByteBuffer { packet(0x40) { $0.writeInteger(id) } }
    /// The packet PINGREQ.
    static var ping: ByteBuffer { packet(0xC0) { _ in } }
    /// The packet DISCONNECT.
    static var disconnect: ByteBuffer { packet(0xE0) { _ in } }

    /// The keep-alive time in seconds.
    ///
    /// The broker ends the connection if it receives no packet for 1.5 times the keep-alive time.
    private static let keepAliveSeconds = 60

    private static func packet(_ head: UInt8, _ write: (inout ByteBuffer) -> Void) -> ByteBuffer {
        var body = ByteBuffer()
        write(&body)
        var packet = ByteBuffer(bytes: [head])
        var length = body.readableBytes
        repeat {
            packet.writeInteger(UInt8(length & 127) | (length > 127 ? 128 : 0))
            length >>= 7
        } while length > 0
        packet.writeBuffer(&body)
        return packet
    }
}

extension ByteBuffer {
    fileprivate mutating func write(text: String) {
        writeInteger(UInt16(truncatingIfNeeded: text.utf8.count))
        writeString(text)
    }

    fileprivate mutating func skipProperties() -> Bool {
        guard case .some(.some(let length)) = readLength() else { return false }
        guard length <= readableBytes else { return false }
        moveReaderIndex(forwardBy: length)
        return true
    }

    /// Reads a length; returns nil if bytes are still missing, and `.some(nil)` if the length is malformed.
    fileprivate mutating func readLength() -> Int?? {
        var (value, start) = (0, readerIndex)
        for shift in stride(from: 0, through: 21, by: 7) {
            guard let byte = getInteger(at: start, as: UInt8.self), start < writerIndex else { return nil }
            start += 1
            value |= Int(byte & 127) << shift
            if byte < 128 {
                moveReaderIndex(to: start)
                return value
            }
        }
        return .some(nil)
    }
}

/// A decoder that splits the broker's bytes into packets.
struct MQTTDecoder: ByteToMessageDecoder {
    typealias InboundOut = MQTTPacket

    /// The error for bytes that aren't valid MQTT.
    struct Malformed: Error {}

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        var rest = buffer
        guard let kind = rest.readInteger(as: UInt8.self), let length = rest.readLength() else { return .needMoreData }
        guard let length else { throw Malformed() }
        guard let body = rest.readSlice(length: length) else { return .needMoreData }
        guard let packet = MQTTPacket(kind: kind, body) else { throw Malformed() }
        buffer = rest
        context.fireChannelRead(wrapInboundOut(packet))
        return .continue
    }
}
