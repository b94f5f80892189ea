import CMosquittoBroker

extension Gate {
    /// Decides whether a message may pass, after ACL_CHECK and before the broker queues it.
    ///
    /// For wills and for the gate's own messages, the broker doesn't ask the gate.
    ///
    /// If messages are divided by shard, the function puts the shard into the topic. The broker owns the new topic's
    /// memory.
    ///
    /// The function adds the source address to requests and registrations. It removes properties that are too long or
    /// reserved for the gate.
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
        // The broker delivers a QoS 2 message only after PUBREL. Such a message can't be put into a batch yet. A
        // worker's own messages aren't put into batches.
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

    /// Sends, in place of the broker, the will of a terminal or of a registering device.
    ///
    /// The broker would send all properties of the will. However, only the gate may set a request's source address.
    ///
    /// If messages are divided by shard, the gate also sends devices' wills, because the broker wouldn't add the shard.
    func sendWill(of client: Client, on topic: Bytes, payload: Bytes) {
        var properties = MessageProperties(nil)
        if client.tellsAddress, let address = client.source, !properties.add(MessageProperties.address, address) {
            return
        }
        passOn(topic, payload, with: properties)
    }
}
