extension MosquittoClient {
    /// Queues a message, which is sent at the next flush at the latest (`mosquitto_publish_v5`).
    ///
    /// Publish only committed messages, because a queued QoS 1 message can't be withdrawn. When `sendMaximum` messages
    /// are unconfirmed, further messages wait in memory. The number of waiting messages isn't limited, so watch
    /// `unconfirmed`. The topic must not contain NUL or wildcards. The topic and the payload are copied. `outlet` is
    /// the number of the outlet that publishes the message. If `outlet` is nil, the receiver publishes it.
    /// - Returns: The id that the message's `PublishReceipt` will contain. The id is unique within the publishing
    ///   connection, and has no meaning for QoS 0.
    /// - Throws: `MosquittoError`. The codes `.invalid`, `.malformedUTF8`, `.payloadSize` and `.oversizePacket` concern
    ///   this message only. After an error with any other code, the connection is unusable.
    @discardableResult
    package mutating func publish(
        topic: String,
        payload: [UInt8],
        outlet: Int? = nil,
        quality: QualityOfService = .atLeastOnce,
        isRetained: Bool = false,
        properties: PublishProperties? = nil
    ) throws(MosquittoError) -> Int32 {
        var message = Message(topic: topic, payload: payload, quality: quality, isRetained: isRetained)
        message.properties = properties
        guard let outlet, !outlets.isEmpty else { return try receiver.publish(message) }
        return try outlets[outlet % outlets.count].put(message)
    }
}
