extension MosquittoClient {
    /// Queues a message, which is sent with the next flush (`mosquitto_publish_v5`).
    ///
    /// Publish only committed messages, because a QoS 1 message can't be withdrawn after it is queued. Messages beyond
    /// the send maximum wait in memory. The library doesn't limit this memory, so callers should watch `unconfirmed`.
    /// The topic, which must contain no NUL and no wildcard, and the payload are copied. `outlet` is the number of the
    /// outlet that publishes the message, perhaps in a batch, or nil for the receiver.
    /// - Returns: The message's id, which the `PublishReceipt` contains. The id is unique only within the connection
    ///   that publishes the message, and meaningless for QoS 0.
    /// - Throws: `MosquittoError`. The codes `.invalid`, `.malformedUTF8`, `.payloadSize` and `.oversizePacket` concern
    ///   this message only. After all others, the connection is unusable.
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
