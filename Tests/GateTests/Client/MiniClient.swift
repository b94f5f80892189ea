import Glibc
import Testing

/// A minimal MQTT client with a blocking socket, which can send any packet.
final class MiniClient {
    /// The fields of a CONNECT packet.
    struct Hello {
        var username: String?
        var password: String?
        var clientId: String
        var version: UInt8 = 5
        var isClean = true
        var sessionExpiry: UInt32 = 0
        var will: (topic: String, payload: String, retained: Bool)?
        var willProperties: [UInt8] = []

        init(
            _ username: String?,
            _ password: String?,
            _ clientId: String,
            version: UInt8 = 5,
            isClean: Bool = true,
            sessionExpiry: UInt32 = 0,
            will: (topic: String, payload: String, retained: Bool)? = nil
        ) {
            self.username = username
            self.password = password
            self.clientId = clientId
            self.version = version
            self.isClean = isClean
            self.sessionExpiry = sessionExpiry
            self.will = will
        }
    }

    /// A message that the client has received.
    struct Message: Equatable {
        var topic: String
        var payload: String
        /// The bytes of the payload, for tests whose payload is not text.
        var bytes: [UInt8] = []
        /// The MQTT 5 properties of the message, in their encoded form.
        var properties: [UInt8] = []

        /// Returns the values of all user properties with this name.
        func users(_ name: String) -> [String] { MiniClient.users(properties, name) }
    }

    /// The code of the CONNACK, or nil if the broker closed the connection without a CONNACK.
    private(set) var code: UInt8?
    private let file: Int32
    let version: UInt8
    private var messages: [Message] = []
    private var nextId: UInt16 = 0

    /// Connects to a broker on a port of this machine, from the loopback address `source`.
    init(_ port: UInt16, _ hello: Hello, from source: UInt32 = 0x7F00_0001) throws {
        file = try Self.open(port, within: 5, from: source)
        version = hello.version
        try send(Self.connect(hello))
        let ack = try packet(0x20)
        code = ack.count > 1 ? ack[1] : nil
    }

    deinit {
        close(file)
    }

    /// Sends a DISCONNECT packet, so that the broker doesn't publish the will.
    func disconnect() throws {
        try send([0xE0, 0])
        shutdown(file, Int32(SHUT_WR))
    }

    /// Publishes a message at QoS 1, and returns the PUBACK's code (0 in MQTT 3.1.1).
    func publish(
        _ topic: String,
        _ payload: String = "{}",
        retained: Bool = false,
        properties: [UInt8] = []
    ) throws -> UInt8 { try publish(topic, Array(payload.utf8), retained: retained, properties: properties) }

    /// Publishes a message with a payload of bytes at QoS 1, and returns the PUBACK's code.
    func publish(_ topic: String, _ payload: [UInt8], retained: Bool = false, properties: [UInt8] = []) throws -> UInt8
    {
        let id = newId()
        var body = Self.text(topic) + id
        if version == 5 { body += Self.length(properties.count) + properties }
        try send(Self.framed(retained ? 0x33 : 0x32, body + payload))
        let ack = try packet(0x40)
        return ack.count > 2 ? ack[2] : 0
    }

    /// Subscribes to a filter at QoS 1 and returns the SUBACK's code.
    func subscribe(_ filter: String) throws -> UInt8? {
        let id = newId()
        let body = id + (version == 5 ? [0] : []) + Self.text(filter) + [1]
        try send(Self.framed(0x82, body))
        return try packet(0x90).last
    }

    /// Unsubscribes from a filter and waits for the UNSUBACK.
    func unsubscribe(_ filter: String) throws {
        let body = newId() + (version == 5 ? [0] : []) + Self.text(filter)
        try send(Self.framed(0xA2, body))
        _ = try packet(0xB0)
    }

    /// Returns the next message, or nil if the connection ends or no message arrives in time.
    func receive(within seconds: Double = 5) throws -> Message? {
        let end = Self.now() + seconds
        while messages.isEmpty {
            guard let packet = try read(until: end) else { return nil }
            try take(packet)
        }
        return messages.isEmpty ? nil : messages.removeFirst()
    }

    /// Waits for a message whose topic or payload contains all these texts, and drops other messages.
    func receive(with texts: String..., within seconds: Double = 5) throws -> Message? {
        let end = Self.now() + seconds
        while let message = try receive(within: max(0, end - Self.now())) {
            let whole = message.topic + " " + message.payload
            if texts.allSatisfy({ whole.contains($0) }) { return message }
        }
        return nil
    }

    /// Returns the seconds until the broker closes the connection, or nil if it stays open.
    func waitForEnd(within seconds: Double = 5) throws -> Double? {
        let start = Self.now()
        while Self.now() < start + seconds {
            if let packet = try read(until: start + seconds) {
                try take(packet)
            } else if isOver {
                return Self.now() - start
            }
        }
        return nil
    }

    private var isOver = false

    /// Reads packets until a packet of the given kind arrives, and returns that packet's body.
    func packet(_ kind: UInt8) throws -> [UInt8] {
        let end = Self.now() + 5
        while let packet = try read(until: end) {
            if packet.kind & 0xF0 == kind { return packet.body }
            try take(packet)
        }
        return []
    }

    private func take(_ packet: (kind: UInt8, body: [UInt8])) throws {
        guard packet.kind & 0xF0 == 0x30, packet.body.count > 2 else { return }
        let body = packet.body
        let count = Int(body[0]) << 8 | Int(body[1])
        var start = 2 + count
        if packet.kind & 0x06 != 0 {
            try send([0x40, 2, body[start], body[start + 1]])
            start += 2
        }
        let properties = version == 5 ? Self.properties(body, at: &start) : []
        messages.append(
            Message(
                topic: String(decoding: body[2..<(2 + count)], as: UTF8.self),
                payload: String(decoding: body[start...], as: UTF8.self),
                bytes: Array(body[start...]),
                properties: properties
            )
        )
    }

    func newId() -> [UInt8] {
        nextId = nextId == .max ? 1 : nextId + 1
        return [UInt8(nextId >> 8), UInt8(nextId & 0xFF)]
    }
}

extension MiniClient {
    /// The type of a stream socket that child processes don't inherit.
    static let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    static func open(_ port: UInt16, within seconds: Double, from source: UInt32 = 0x7F00_0001) throws -> Int32 {
        let end = now() + seconds
        repeat {
            let file = socket(AF_INET, streamType, 0)
            var own = loopback(port: 0)
            own.sin_addr.s_addr = source.bigEndian
            _ = withUnsafePointer(to: &own) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            var address = loopback(port: port)
            let connected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if connected == 0 { return file }
            close(file)
            poll(nil, 0, 10)
        } while now() < end
        try #require(Bool(false), "the broker doesn't accept connections")
        return -1
    }

    static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    static func connect(_ hello: Hello) -> [UInt8] {
        var flags: UInt8 = hello.isClean ? 0x02 : 0
        if hello.username != nil { flags |= 0x80 }
        if hello.password != nil { flags |= 0x40 }
        if let will = hello.will { flags |= will.retained ? 0x24 : 0x04 }
        var body = text("MQTT") + [hello.version, flags, 0, 60]
        if hello.version == 5 {
            let expiry = withUnsafeBytes(of: hello.sessionExpiry.bigEndian) { Array($0) }
            body += [5, 0x11] + expiry
        }
        body += text(hello.clientId)
        if let will = hello.will {
            if hello.version == 5 { body += length(hello.willProperties.count) + hello.willProperties }
            body += text(will.topic) + text(will.payload)
        }
        if let username = hello.username { body += text(username) }
        if let password = hello.password { body += text(password) }
        return framed(0x10, body)
    }

    static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }

    static func framed(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] { [kind] + length(body.count) + body }

    func send(_ bytes: [UInt8]) throws { _ = Glibc.send(file, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    private func read(until end: Double) throws -> (kind: UInt8, body: [UInt8])? {
        guard let kind = byte(until: end) else { return nil }
        var (count, shift) = (0, 0)
        while let digit = byte(until: end) {
            count |= Int(digit & 0x7F) << shift
            shift += 7
            if digit & 0x80 == 0 { break }
        }
        var body: [UInt8] = []
        while body.count < count {
            guard let next = byte(until: end) else { return nil }
            body.append(next)
        }
        return (kind, body)
    }

    private func byte(until end: Double) -> UInt8? {
        var wait = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        let left = Int32(max(0, (end - Self.now()) * 1_000))
        guard !isOver, poll(&wait, 1, left) > 0 else { return nil }
        var byte: UInt8 = 0
        guard recv(file, &byte, 1, 0) == 1 else {
            isOver = true
            return nil
        }
        return byte
    }
}
