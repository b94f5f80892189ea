/// A packet from the broker.
///
/// A message's topic and payload point into the buffer that received them.
package enum MQTTPacket {
    case connectionAnswer(code: UInt8)
    case publish(topic: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, mid: UInt16?)
    case publishAnswer(mid: UInt16)
    /// The answer to a SUBSCRIBE, where `isGranted` means that all filters were granted.
    case subscriptionAnswer(isGranted: Bool)
    case other
}

/// A parser that divides received bytes into MQTT 3.1.1 packets.
struct MQTTReader {
    /// Returns the first packet and its size in bytes, or nil while that packet is incomplete.
    ///
    /// - Throws: `LoadError.protocolError` for a length or a packet that is not valid MQTT.
    static func next(in bytes: UnsafeRawBufferPointer) throws(LoadError) -> (packet: MQTTPacket, size: Int)? {
        var length = 0
        var at = 1
        while true {
            guard at < bytes.count else { return nil }
            guard at <= 4 else { throw .protocolError }
            let digit = bytes[at]
            length |= Int(digit & 0x7F) << (7 * (at - 1))
            at += 1
            if digit & 0x80 == 0 { break }
        }
        guard bytes.count >= at + length else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: bytes[at..<(at + length)])
        guard let packet = decode(header: bytes[0], body) else { throw .protocolError }
        return (packet, at + length)
    }

    private static func decode(header: UInt8, _ body: UnsafeRawBufferPointer) -> MQTTPacket? {
        switch header & 0xF0 {
        case 0x20: return body.count == 2 ? .connectionAnswer(code: body[1]) : nil
        case 0x30: return publish(header: header, body)
        case 0x40: return body.count >= 2 ? .publishAnswer(mid: number(body, at: 0)) : nil
        case 0x90: return .subscriptionAnswer(isGranted: !body.dropFirst(2).contains { $0 >= 0x80 })
        default: return .other
        }
    }

    private static func publish(header: UInt8, _ body: UnsafeRawBufferPointer) -> MQTTPacket? {
        guard body.count >= 2 else { return nil }
        let topicEnd = 2 + Int(number(body, at: 0))
        let hasMid = header & 0x06 != 0
        let start = topicEnd + (hasMid ? 2 : 0)
        guard body.count >= start else { return nil }
        return .publish(
            topic: UnsafeRawBufferPointer(rebasing: body[2..<topicEnd]),
            payload: UnsafeRawBufferPointer(rebasing: body[start...]),
            mid: hasMid ? number(body, at: topicEnd) : nil
        )
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, at index: Int) -> UInt16 {
        UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
    }
}
