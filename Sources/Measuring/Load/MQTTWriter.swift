/// A writer that appends MQTT 3.1.1 packets to the bytes that a client will send.
///
/// The benchmark and the simulated devices don't use libmosquitto. One thread can therefore serve thousands of
/// connections. One system call can send many packets.
package struct MQTTWriter {
    /// The fields of a CONNECT packet for a clean session.
    ///
    /// The session is always clean, because simulated devices queue their own reports.
    package struct Login: Sendable {
        var clientID: String
        var username: String
        var password: String
        var will: (topic: String, payload: [UInt8])?
        /// The maximum number of seconds between two packets that the client sends.
        ///
        /// The broker ends the connection if no packet arrives for 1.5 times as long.
        package var keepAliveSeconds: UInt16

        /// Creates the fields of a CONNECT packet, with or without a will.
        package init(clientID: String, username: String, password: String, will: (String, [UInt8])? = nil) {
            (self.clientID, self.username, self.password, self.will) = (clientID, username, password, will)
            keepAliveSeconds = 60
        }
    }

    /// Appends a CONNECT packet.
    package static func connect(_ login: Login, into bytes: inout [UInt8]) {
        var body: [UInt8] = []
        append("MQTT", to: &body)
        let will: UInt8 = login.will == nil ? 0 : 0x04 | 0x08
        body += [4, 0x02 | 0x80 | 0x40 | will]
        append(login.keepAliveSeconds, to: &body)
        append(login.clientID, to: &body)
        if let will = login.will {
            append(will.topic, to: &body)
            append(UInt16(clamping: will.payload.count), to: &body)
            body += will.payload
        }
        append(login.username, to: &body)
        append(login.password, to: &body)
        finish(0x10, body, into: &bytes)
    }

    /// Appends a PUBLISH packet with QoS 1.
    package static func publish(topic: [UInt8], payload: some Collection<UInt8>, mid: UInt16, into bytes: inout [UInt8])
    {
        bytes.append(0x32)
        append(length: 2 + topic.count + 2 + payload.count, to: &bytes)
        append(UInt16(clamping: topic.count), to: &bytes)
        bytes += topic
        append(mid, to: &bytes)
        bytes.append(contentsOf: payload)
    }

    /// Appends a SUBSCRIBE packet that requests QoS 1.
    package static func subscribe(_ filters: [String], mid: UInt16, into bytes: inout [UInt8]) {
        var body: [UInt8] = []
        append(mid, to: &body)
        for filter in filters {
            append(filter, to: &body)
            body.append(1)
        }
        finish(0x82, body, into: &bytes)
    }

    /// Appends a PUBACK packet.
    package static func acknowledge(_ mid: UInt16, into bytes: inout [UInt8]) {
        bytes += [0x40, 2]
        append(mid, to: &bytes)
    }

    /// Appends a PINGREQ packet.
    package static func ping(into bytes: inout [UInt8]) { bytes += [0xC0, 0] }

    /// Appends a DISCONNECT packet.
    package static func disconnect(into bytes: inout [UInt8]) { bytes += [0xE0, 0] }

    private static func finish(_ header: UInt8, _ body: [UInt8], into bytes: inout [UInt8]) {
        bytes.append(header)
        append(length: body.count, to: &bytes)
        bytes += body
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        append(UInt16(clamping: text.utf8.count), to: &bytes)
        bytes.append(contentsOf: text.utf8)
    }

    private static func append(_ number: UInt16, to bytes: inout [UInt8]) {
        bytes.append(UInt8(number >> 8))
        bytes.append(UInt8(number & 0xFF))
    }

    private static func append(length: Int, to bytes: inout [UInt8]) {
        var rest = length
        repeat {
            let digit = UInt8(rest & 0x7F)
            rest >>= 7
            bytes.append(rest > 0 ? digit | 0x80 : digit)
        } while rest > 0
    }
}
