import Batching
import CMosquitto
import Glibc

extension MosquittoClient {
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

extension Connection {
    /// Queues a message as a packet of its own: `mosquitto_publish_v5`, which copies it.
    ///
    /// - Returns: The packet id that its receipt will name; meaningless for QoS 0.
    func publish(_ message: Message) throws(MosquittoError) -> Int32 {
        guard !message.topic.utf8.contains(0) else { throw MosquittoError(.invalid, function: "mosquitto_publish_v5") }
        var mid: Int32 = 0
        let properties = message.properties?.makeList() ?? Properties()
        try check(
            "mosquitto_publish_v5",
            mosquitto_publish_v5(
                handle,
                &mid,
                message.topic,
                Int32(clamping: message.payload.count),
                message.payload,
                Int32(message.quality.rawValue),
                message.isRetained,
                properties.list
            )
        )
        if message.quality == .atLeastOnce { unconfirmed += 1 }
        return mid
    }

    /// Publishes the batch, if there is one with messages.
    ///
    /// - Throws: `MosquittoError`; the connection is then unusable.
    func sendBatch() throws(MosquittoError) {
        guard let batch, !batch.writer.isEmpty else { return }
        let mid = try publish(Message(topic: batch.topic, payload: batch.writer.bytes))
        batch.markSent(as: mid)
    }

    /// Permits the acknowledgements of the oldest deliveries.
    ///
    /// The library has one queue for all output and writes the whole of it: nothing leaves until the last
    /// acknowledgement in it is permitted.
    func acknowledge(_ count: Int) {
        acknowledgementsPermitted += count
        guard acknowledgementsPermitted >= acknowledgementsHeld else { return }
        acknowledgementsHeld = 0
        acknowledgementsPermitted = 0
    }

    /// Whether there is output that can be written.
    var hasOutput: Bool { acknowledgementsHeld == 0 && mosquitto_want_write(handle) }

    /// Writes the permitted output as far as the broker reads, without waiting.
    func writeSome() throws(MosquittoError) {
        if hasOutput { try write() }
    }

    /// Writes all output, held acknowledgements too, and waits up to `limit` for a broker that reads nothing.
    func flush(within limit: Duration) throws(MosquittoError) {
        let deadline = ContinuousClock.now + limit
        while mosquitto_want_write(handle) {
            try write()
            guard mosquitto_want_write(handle) else { break }
            // After a DISCONNECT the library reports success for a lost connection.
            guard mosquitto_socket(handle) >= 0 else { throw MosquittoError(.noConnection, function: "flush") }
            let left = deadline.milliseconds(since: .now)
            guard left > 0 else { throw MosquittoError(.timeout, function: "flush") }
            wait(for: POLLOUT, milliseconds: min(left, 1000))
        }
        acknowledge(acknowledgementsHeld)
    }

    /// Writes the library's whole queue in few segments, as far as the socket takes it: `mosquitto_loop_write`.
    private func write() throws(MosquittoError) {
        isWriting = true
        gatherSegments(true)
        defer {
            gatherSegments(false)
            isWriting = false
        }
        try checkConnection("mosquitto_loop_write", mosquitto_loop_write(handle, 1))
    }

    // MARK: Options of the socket that the library opened

    /// Enlarges the buffers to a whole window, so that neither side waits for the other's next turn, and lets the last
    /// segment of each write leave at once.
    func tuneSocket() {
        // If the system refuses or reduces a size, the connection still works, with more turns.
        set(SO_SNDBUF, at: SOL_SOCKET, to: Self.bufferBytes)
        set(SO_RCVBUF, at: SOL_SOCKET, to: Self.bufferBytes)
        set(TCP_NODELAY, at: Int32(IPPROTO_TCP), to: 1)
    }

    /// Lets the system fill segments (TCP_CORK), or sends the rest.
    ///
    /// The library writes each packet separately, and each would be a segment that wakes the broker.
    private func gatherSegments(_ isOn: Bool) { set(TCP_CORK, at: Int32(IPPROTO_TCP), to: isOn ? 1 : 0) }

    private static let bufferBytes: Int32 = 1 << 20

    private func set(_ option: Int32, at level: Int32, to value: Int32) {
        let socket = mosquitto_socket(handle)
        guard socket >= 0 else { return }
        var value = value
        setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
