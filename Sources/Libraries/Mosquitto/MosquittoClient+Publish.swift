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
}
