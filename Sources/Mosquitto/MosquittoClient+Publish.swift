import CMosquitto
import Glibc

extension MosquittoClient {
    /// Queues a message, to leave with the next `flush()`: `mosquitto_publish_v5`.
    ///
    /// Use it only for committed messages: with QoS 1 the library sends the message sooner or
    /// later. Beyond the send maximum messages wait in memory, which the library does not limit:
    /// watch `unconfirmed`. Topic (no NUL, no wildcard) and payload are copied.
    /// - Returns: The packet id that its `PublishReceipt` will name; meaningless for QoS 0.
    /// - Throws: `MosquittoError`; `.invalid`, `.malformedUTF8`, `.payloadSize` and
    ///   `.oversizePacket` concern this message only, all others the connection.
    @discardableResult
    package mutating func publish(
        topic: UnsafeBufferPointer<UInt8>,
        payload: UnsafeBufferPointer<UInt8>,
        quality: QualityOfService = .atLeastOnce,
        isRetained: Bool = false,
        properties: PublishProperties? = nil
    ) throws(MosquittoError) -> Int32 {
        guard !topic.contains(0) else {
            throw MosquittoError(.invalid, function: "mosquitto_publish_v5")
        }
        self.topic.removeAll(keepingCapacity: true)
        for byte in topic { self.topic.append(CChar(bitPattern: byte)) }
        self.topic.append(0)
        var mid: Int32 = 0
        let list = properties?.makeList() ?? Properties()
        try check(
            "mosquitto_publish_v5",
            mosquitto_publish_v5(
                handle,
                &mid,
                self.topic,
                Int32(clamping: payload.count),
                payload.baseAddress,
                Int32(quality.rawValue),
                isRetained,
                list.list
            )
        )
        if quality == .atLeastOnce { callbacks.unconfirmed += 1 }
        return mid
    }

    /// Queues a message, to leave with the next `flush()`.
    ///
    /// - Throws: `MosquittoError`, as the other `publish`.
    @discardableResult
    package mutating func publish(
        topic: [UInt8],
        payload: [UInt8],
        quality: QualityOfService = .atLeastOnce,
        isRetained: Bool = false,
        properties: PublishProperties? = nil
    ) throws(MosquittoError) -> Int32 {
        var result: Result<Int32, MosquittoError> = .success(0)
        topic.withUnsafeBufferPointer { topic in
            payload.withUnsafeBufferPointer { payload in
                do throws(MosquittoError) {
                    result = .success(
                        try publish(
                            topic: topic,
                            payload: payload,
                            quality: quality,
                            isRetained: isRetained,
                            properties: properties
                        )
                    )
                } catch { result = .failure(error) }
            }
        }
        return try result.get()
    }

    /// Queues a message, to leave with the next `flush()`.
    ///
    /// - Throws: `MosquittoError`, as the other `publish`.
    @discardableResult
    package mutating func publish(
        topic: String,
        payload: [UInt8],
        quality: QualityOfService = .atLeastOnce,
        isRetained: Bool = false,
        properties: PublishProperties? = nil
    ) throws(MosquittoError) -> Int32 {
        try publish(
            topic: Array(topic.utf8),
            payload: payload,
            quality: quality,
            isRetained: isRetained,
            properties: properties
        )
    }

    /// Writes the queued acknowledgements and messages to the broker: `mosquitto_loop_write`.
    ///
    /// Call it only after the commit. Waits up to `writeTimeout` for a broker that reads nothing.
    /// It never reads meanwhile, since the acknowledgements of messages read would leave with the
    /// rest, before their commit. Reading isn't needed: the receive maximum limits the broker's own
    /// sending, so the broker continues to read.
    /// - Throws: `MosquittoError`; it is then unknown which messages arrived, and the broker
    ///   delivers unacknowledged ones again.
    package mutating func flush() throws(MosquittoError) {
        try flush(within: options.writeTimeout)
    }

    /// Works like `flush()`, with its own time limit.
    mutating func flush(within limit: Duration) throws(MosquittoError) {
        let deadline = ContinuousClock.now + limit
        while mosquitto_want_write(handle) {
            try write()
            guard mosquitto_want_write(handle) else { break }
            // After a DISCONNECT the library reports success for a lost connection.
            guard mosquitto_socket(handle) >= 0 else {
                throw MosquittoError(.noConnection, function: "flush")
            }
            let left = deadline.milliseconds(since: .now)
            guard left > 0 else { throw MosquittoError(.timeout, function: "flush") }
            waitUntilWritable(milliseconds: min(left, 1000))
        }
        callbacks.acknowledgementsHeld = 0
        callbacks.acknowledgementsPermitted = 0
    }

    /// Permits the acknowledgements of the oldest deliveries.
    ///
    /// The library has one queue for all output and writes the whole of it: nothing leaves until
    /// the last acknowledgement in it is permitted.
    mutating func acknowledge(_ count: Int) {
        callbacks.acknowledgementsPermitted += count
        guard callbacks.acknowledgementsPermitted >= callbacks.acknowledgementsHeld else { return }
        callbacks.acknowledgementsHeld = 0
        callbacks.acknowledgementsPermitted = 0
    }

    /// Whether there is output that can be written.
    var hasOutput: Bool { callbacks.acknowledgementsHeld == 0 && mosquitto_want_write(handle) }

    /// Whether another message may be read.
    ///
    /// False while acknowledgements are being written, since the message's own would leave with
    /// them; and while many permitted ones wait for others, since under a steady load they would
    /// wait forever.
    var mayRead: Bool {
        callbacks.acknowledgementsHeld == 0
            ? !mosquitto_want_write(handle)
            : callbacks.acknowledgementsPermitted < Self.permittedMax
    }

    /// The number of permitted acknowledgements at which no message is read until they have left.
    private static let permittedMax = 1000

    /// Writes the permitted output as far as the broker reads, without waiting.
    mutating func writeSome() throws(MosquittoError) {
        if hasOutput { try write() }
    }

    /// Writes the library's whole queue in few segments, as far as the socket takes it:
    /// `mosquitto_loop_write`.
    func write() throws(MosquittoError) {
        callbacks.isWriting = true
        gatherSegments(true)
        defer {
            gatherSegments(false)
            callbacks.isWriting = false
        }
        try checkConnection("mosquitto_loop_write", mosquitto_loop_write(handle, 1))
    }

    private func waitUntilWritable(milliseconds: Int32) {
        var entry = pollfd(fd: mosquitto_socket(handle), events: Int16(POLLOUT), revents: 0)
        Glibc.poll(&entry, 1, milliseconds)
    }
}
