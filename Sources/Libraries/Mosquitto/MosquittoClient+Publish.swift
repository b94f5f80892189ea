extension MosquittoClient {
    /// Queues a message, to leave with the next flush: `mosquitto_publish_v5`.
    ///
    /// Use it only for committed messages: with QoS 1 the library sends the message sooner or later. Beyond the send
    /// maximum messages wait in memory, which the library does not limit: watch `unconfirmed`. Topic (no NUL, no
    /// wildcard) and payload are copied. `outlet` is the number of the outlet that publishes it, perhaps in a batch;
    /// nil for the receiver.
    /// - Returns: The message's id, which its `PublishReceipt` repeats; unique only within the connection that
    ///   publishes it, and meaningless for QoS 0.
    /// - Throws: `MosquittoError`; `.invalid`, `.malformedUTF8`, `.payloadSize` and `.oversizePacket` concern this
    ///   message only, all others the connection.
    @discardableResult
    package mutating func publish(
        topic: String,
        payload: [UInt8],
        outlet: Int? = nil,
        quality: QualityOfService = .atLeastOnce,
        isRetained: Bool = false,
        properties: PublishProperties? = nil
    ) throws(MosquittoError) -> Int32 {
        let message = Message(
            topic: topic,
            payload: payload,
            quality: quality,
            isRetained: isRetained,
            properties: properties
        )
        guard let outlet, !outlets.isEmpty else { return try receiver.publish(message) }
        return try outlets[outlet % outlets.count].put(message)
    }

    /// Permits all acknowledgements, and writes them and the queued messages to the broker.
    ///
    /// Call it only after the commit. Waits up to `writeTimeout` for a broker that reads nothing. It never reads
    /// meanwhile, since the acknowledgements of messages read would leave with the rest, before their commit. Reading
    /// isn't needed: the receive maximum limits the broker's own sending, so the broker continues to read.
    /// - Throws: `MosquittoError`; it is then unknown which messages arrived, and the broker delivers unacknowledged
    ///   ones again.
    package mutating func flush() throws(MosquittoError) {
        for connection in connections {
            try connection.sendBatch()
            try connection.flush(within: connection.options.writeTimeout)
        }
    }

    /// Permits the acknowledgements of the oldest deliveries.
    ///
    /// The library writes all of them or none: they leave with the next `writePermitted()` once all are permitted.
    /// While many wait for that, `receive` reads no message.
    package mutating func acknowledge(_ count: Int) { receiver.acknowledge(count) }

    /// Writes messages and permitted acknowledgements as far as the broker takes them now; `receive` writes the rest.
    ///
    /// - Throws: `MosquittoError`.
    package mutating func writePermitted() throws(MosquittoError) {
        for connection in connections {
            try connection.sendBatch()
            try connection.writeSome()
        }
    }
}
