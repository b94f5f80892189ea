/// Writes packets of MQTT 3.1.1 and 5 as a hostile client likes them.
struct HostilePackets {
    /// 4 is MQTT 3.1.1, 5 is MQTT 5.
    let version: UInt8

    /// CONNECT, with a clean start.
    func connect(_ login: HostileLogin) -> [UInt8] {
        let flags: UInt8 = login.will == nil ? 0xC2 : 0xCE
        let none: [UInt8] = version == 5 ? [0] : []
        var body = Self.text("MQTT") + [version, flags] + Self.number(600) + none
        body += Self.text(login.clientID)
        if let will = login.will {
            body += none + Self.text(will.topic) + Self.number(will.payload.count) + will.payload
        }
        body += Self.text(login.username) + Self.text(login.password)
        return Self.packet(0x10, body)
    }

    /// UNSUBSCRIBE with packet identifier 1.
    func unsubscribe(_ filters: [String]) -> [UInt8] {
        let start: [UInt8] = [0, 1] + (version == 5 ? [0] : [])
        return Self.packet(0xA2, filters.reduce(into: start) { $0 += Self.text($1) })
    }

    /// SUBSCRIBE with packet identifier 1 and QoS 0.
    func subscribe(_ filters: [String]) -> [UInt8] {
        let start: [UInt8] = [0, 1] + (version == 5 ? [0] : [])
        return Self.packet(0x82, filters.reduce(into: start) { $0 += Self.text($1) + [0] })
    }

    /// PUBLISH, and where its packet identifier stands.
    func publish(
        _ topic: String,
        _ payload: [UInt8],
        qos: UInt8,
        correlation: [UInt8] = []
    ) -> (bytes: [UInt8], identifier: Int?) {
        var body = Self.text(topic)
        let identifier = body.count
        if qos > 0 { body += [0, 1] }
        if version == 5 {
            let properties =
                correlation.isEmpty ? [] : [0x09] + Self.number(correlation.count) + correlation
            body += Self.length(properties.count) + properties
        }
        body += payload
        let packet = Self.packet(0x30 | qos << 1, body)
        return (packet, qos > 0 ? packet.count - body.count + identifier : nil)
    }

    private static func packet(_ header: UInt8, _ body: [UInt8]) -> [UInt8] {
        [header] + length(body.count) + body
    }

    private static func number(_ value: Int) -> [UInt8] {
        [UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    private static func text(_ text: String) -> [UInt8] { number(text.utf8.count) + text.utf8 }

    private static func length(_ length: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = length
        repeat {
            bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }
}

/// The identity and source address of a hostile connection.
struct HostileLogin: Sendable {
    var version: UInt8
    var clientID: String
    var username: String
    var password: String
    /// The source address.
    var address: String
    /// Its last will, with QoS 1.
    var will: (topic: String, payload: [UInt8])?
}
