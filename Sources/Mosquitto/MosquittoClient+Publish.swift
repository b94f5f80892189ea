import CMosquitto
import Glibc

extension MosquittoClient {
    /// Queues a message, to leave with the next `flush()`: `mosquitto_publish_v5`.
    ///
    /// Only for committed messages: with QoS 1 the library sends it sooner or later. Beyond the send maximum it
    /// waits in memory, which the library does not limit: watch `unconfirmed`. Topic (no NUL, no wildcard) and payload
    /// are copied.
    /// - Returns: The packet id that its `PublishReceipt` will name; meaningless for QoS 0.
    /// - Throws: `MosquittoError`; `.invalid`, `.malformedUTF8`, `.payloadSize` and `.oversizePacket` concern
    ///   this message only, all others the connection.
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
        bulk?.enter(mosquitto_socket(handle))
        defer { bulk?.leave() }
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
    /// Call it only after the commit. Waits up to `writeTimeout` for a broker that reads nothing. It never
    /// reads meanwhile: the acknowledgements of messages read would leave with the rest, before their commit.
    /// It need not: the receive maximum limits the broker's own sending, so the broker continues to read.
    /// - Throws: `MosquittoError`; then it is unknown what arrived, and unacknowledged messages come again.
    package mutating func flush() throws(MosquittoError) {
        try flush(through: bulk)
    }

    /// Works as `flush()`, with its own time limit.
    mutating func flush(within limit: Duration) throws(MosquittoError) {
        try flush(through: bulk, within: limit)
    }

    mutating func flush(
        through bulk: BulkSocket?,
        within limit: Duration? = nil
    ) throws(MosquittoError) {
        let deadline = Monotonic.now.adding(limit ?? options.writeTimeout)
        if isHolding { bulk?.release(callbacks.acknowledgementsHeld) }
        bulk?.enter(mosquitto_socket(handle))
        defer { bulk?.leave() }
        while true {
            if mosquitto_want_write(handle) { try write() }
            guard try !isWritten(through: bulk) else { break }
            // After a DISCONNECT the library reports success for a lost connection.
            guard mosquitto_socket(handle) >= 0 else {
                throw MosquittoError(.noConnection, function: "flush")
            }
            let left = deadline.milliseconds(since: .now)
            guard left > 0 else { throw MosquittoError(.timeout, function: "flush") }
            waitUntilWritable(milliseconds: min(left, 1000))
        }
        callbacks.acknowledgementsHeld = 0
    }

    /// Whether acknowledgements are kept apart, so that some may leave before others, and all other output
    /// before them.
    var isHolding: Bool { options.holdsAcknowledgements && bulk?.isInterposed == true }

    /// Lets the acknowledgements of the oldest deliveries leave with the next `writeSome()`; if they are
    /// not kept apart, none leaves before the last one may.
    mutating func acknowledge(_ count: Int) {
        callbacks.acknowledgementsHeld -= count
        if isHolding { bulk?.release(count) }
    }

    /// Whether there is output that may be written.
    var hasOutput: Bool {
        bulk?.isPending == true || (mayWrite && mosquitto_want_write(handle))
    }

    private var mayWrite: Bool { isHolding || callbacks.acknowledgementsHeld == 0 }

    /// Whether another message may be read: not while acknowledgements are being written, since its own would
    /// leave with them.
    var mayRead: Bool {
        isHolding || callbacks.acknowledgementsHeld > 0 || !mosquitto_want_write(handle)
    }

    /// Writes the permitted output as far as the broker reads, without waiting.
    mutating func writeSome() throws(MosquittoError) {
        guard hasOutput else { return }
        bulk?.enter(mosquitto_socket(handle))
        defer { bulk?.leave() }
        if mayWrite, mosquitto_want_write(handle) { try write() }
        _ = try isWritten(through: bulk)
    }

    /// Whether all output is written, both the library's and that of the buffer before the socket.
    private func isWritten(through bulk: BulkSocket?) throws(MosquittoError) -> Bool {
        if let bulk, !bulk.flush() {
            guard errno == EAGAIN else {
                throw MosquittoError(.connectionLost, function: "send", systemError: errno)
            }
            return false
        }
        return !mosquitto_want_write(handle)
    }

    func write() throws(MosquittoError) {
        callbacks.isWriting = true
        defer { callbacks.isWriting = false }
        try checkConnection("mosquitto_loop_write", mosquitto_loop_write(handle, 1))
    }

    private func waitUntilWritable(milliseconds: Int32) {
        var entry = pollfd(fd: mosquitto_socket(handle), events: Int16(POLLOUT), revents: 0)
        Glibc.poll(&entry, 1, milliseconds)
    }
}
