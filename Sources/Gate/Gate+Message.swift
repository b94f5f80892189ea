import CMosquittoBroker

extension Gate {
    /// Answers MESSAGE, which the broker asks about each message that ACL_CHECK let through, before it queues the
    /// message; not about wills, or messages that the gate itself publishes.
    ///
    /// If the work is divided, replaces the topic with the one that workers see, in memory that the broker owns.
    ///
    /// Adds the source address to requests and registrations, and removes properties that would cost the workers more
    /// than they are worth.
    func pass(
        _ pointer: OpaquePointer,
        topic: inout Bytes,
        payload: Bytes,
        qos: UInt8,
        properties list: inout OpaquePointer?
    ) -> Bool {
        guard let client = clients[pointer], client.isStill(pointer) else { return false }
        guard client.rights.isWorker || inspect(client, topic: topic, properties: &list) else { return false }
        if let divided = dividedTopic(topic) {
            guard let copy = Broker.copy(topic: divided) else { return false }
            topic = copy
        }
        // The broker passes on a QoS 2 message later; a worker's own message isn't put into batches.
        if qos < 2, !client.rights.isWorker { note(passing: topic, payload: payload, properties: list) }
        return true
    }

    private func inspect(_ client: Client, topic: Bytes, properties list: inout OpaquePointer?) -> Bool {
        var properties = MessageProperties(list)
        defer { list = properties.list }
        if list != nil {
            let findings = properties.inspect(settings.limits)
            guard limitProperties(of: client, bytes: findings.bytes, topic: topic) else { return false }
            guard !findings.mustRemake || properties.remake(settings.limits) else { return false }
            if findings.isCorrelationTooLong, client.isTerminal,
                !properties.add(MessageProperties.fault, MessageProperties.correlation)
            {
                return false
            }
        }
        guard client.tellsAddress, let address = client.source else { return true }
        return properties.add(MessageProperties.address, address)
    }

    /// Sends the will of a terminal, or of a registering device, in place of the broker, which would keep all
    /// properties that the client set: only the gate may state the address of a request or registration.
    ///
    /// If the work is divided, also sends a device's will, whose topic the broker would leave unchanged.
    func sendWill(of client: Client, on topic: Bytes, payload: Bytes) {
        var properties = MessageProperties(nil)
        if client.tellsAddress, let address = client.source, !properties.add(MessageProperties.address, address) {
            return
        }
        Broker.publish(
            topicForWorkers(String(decoding: topic, as: UTF8.self)),
            Array(payload),
            qos: 1,
            properties: properties
        )
    }
}
