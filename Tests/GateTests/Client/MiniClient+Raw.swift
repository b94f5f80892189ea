extension MiniClient {
    /// Publishes a message at QoS 2, and returns the PUBREC's code (0 in MQTT 3.1.1).
    func publishTwice(_ topic: String, _ payload: String = "{}") throws -> UInt8 {
        let id = newId()
        var body = Self.text(topic) + id
        if version == 5 { body.append(0) }
        try send(Self.framed(0x34, body + payload.utf8))
        let received = try packet(0x50)
        let code = received.count > 2 ? received[2] : 0
        guard code < 0x80 else { return code }
        try send(Self.framed(0x62, id))
        _ = try packet(0x70)
        return code
    }

    /// Publishes a message at QoS 0, which the broker doesn't acknowledge.
    func publishOnly(_ topic: String, _ payload: String = "{}") throws {
        var body = Self.text(topic)
        if version == 5 { body.append(0) }
        try send(Self.framed(0x30, body + payload.utf8))
    }
}
