import Batching
import CMosquitto
import Glibc

extension MosquittoClient {
    /// Permits all acknowledgements, and writes all acknowledgements and queued messages to the broker.
    ///
    /// Call this method only after the commit. If the broker reads nothing, the method waits up to `writeTimeout`.
    /// While the method waits, it doesn't read, because new messages would be acknowledged before their commit.
    /// The broker doesn't wait for the client in turn, because the receive maximum limits how much the broker writes.
    /// - Throws: `MosquittoError`. After an error it is unknown which messages arrived, and the broker delivers
    ///   unacknowledged messages again.
    package mutating func flush() throws(MosquittoError) {
        for connection in connections {
            try connection.sendBatch()
            try connection.flush(within: connection.options.writeTimeout)
        }
    }

    /// Permits the acknowledgements of the `count` oldest deliveries.
    ///
    /// The library writes either all queued acknowledgements or none. Therefore, `writePermitted()` writes them only
    /// when all of them are permitted. While many acknowledgements are permitted but can't be written yet, `receive`
    /// reads no message.
    package mutating func acknowledge(_ count: Int) { receiver.acknowledge(count) }

    /// Writes the messages and permitted acknowledgements that the broker accepts now, and leaves the rest to
    /// `receive`.
    package mutating func writePermitted() throws(MosquittoError) {
        for connection in connections {
            try connection.sendBatch()
            try connection.writeSome()
        }
    }
}

extension Connection {
    /// Queues a message as a separate packet with `mosquitto_publish_v5`, which copies the message.
    ///
    /// - Returns: The packet id, which the message's receipt will contain. For QoS 0, the id has no meaning.
    func publish(_ message: Message) throws(MosquittoError) -> Int32 {
        guard !message.topic.utf8.contains(0) else { throw MosquittoError(.invalid, function: "mosquitto_publish_v5") }
        var mid: Int32 = 0
        let properties = message.properties?.makeList() ?? Properties()
        let result = mosquitto_publish_v5(
            handle,
            &mid,
            message.topic,
            Int32(clamping: message.payload.count),
            message.payload,
            Int32(message.quality.rawValue),
            message.isRetained,
            properties.list
        )
        try check("mosquitto_publish_v5", result)
        if message.quality == .atLeastOnce { unconfirmed += 1 }
        return mid
    }

    /// Publishes the batch if it contains messages.
    ///
    /// - Throws: `MosquittoError`. After an error the connection is unusable.
    func sendBatch() throws(MosquittoError) {
        guard let batch, !batch.writer.isEmpty else { return }
        let mid = try publish(Message(topic: batch.topic, payload: batch.writer.bytes))
        batch.markSent(as: mid)
    }

    /// Permits the acknowledgements of the `count` oldest deliveries.
    ///
    /// The library writes its whole output queue at once. Therefore, nothing is written until all acknowledgements in
    /// the queue are permitted.
    func acknowledge(_ count: Int) {
        acknowledgementsPermitted += count
        guard acknowledgementsPermitted >= acknowledgementsHeld else { return }
        acknowledgementsHeld = 0
        acknowledgementsPermitted = 0
    }

    /// Whether there is output that can be written.
    var hasOutput: Bool { acknowledgementsHeld == 0 && mosquitto_want_write(handle) }

    /// Writes as much of the permitted output as the broker accepts, without waiting.
    func writeSome() throws(MosquittoError) {
        if hasOutput { try write() }
    }

    /// Writes all output, including held acknowledgements, and waits up to `limit` if the broker reads nothing.
    func flush(within limit: Duration) throws(MosquittoError) {
        let deadline = ContinuousClock.now + limit
        while mosquitto_want_write(handle) {
            try write()
            guard mosquitto_want_write(handle) else { break }
            // After a DISCONNECT, the library reports success even if the connection was lost.
            guard mosquitto_socket(handle) >= 0 else { throw MosquittoError(.noConnection, function: "flush") }
            let left = deadline.milliseconds(since: .now)
            guard left > 0 else { throw MosquittoError(.timeout, function: "flush") }
            wait(for: POLLOUT, milliseconds: min(left, 1000))
        }
        acknowledge(acknowledgementsHeld)
    }

    /// Writes as much of the library's queue as the socket accepts, in few segments (`mosquitto_loop_write`).
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

    /// Enlarges the socket's buffers, and turns on `TCP_NODELAY`.
    ///
    /// Many messages fit into the larger buffers, so the client and the broker don't wait for each other. With
    /// `TCP_NODELAY`, the last segment of each write is sent at once.
    func tuneSocket() {
        // If the system refuses or reduces a size, the connection still works. The same messages then need more reads
        // and writes.
        set(SO_SNDBUF, at: SOL_SOCKET, to: Self.bufferBytes)
        set(SO_RCVBUF, at: SOL_SOCKET, to: Self.bufferBytes)
        set(TCP_NODELAY, at: Int32(IPPROTO_TCP), to: 1)
    }

    /// Makes the system send only full segments while `isOn` is true (`TCP_CORK`).
    ///
    /// The library writes each packet separately. Without this option, each packet would be a segment that wakes the
    /// broker.
    private func gatherSegments(_ isOn: Bool) { set(TCP_CORK, at: Int32(IPPROTO_TCP), to: isOn ? 1 : 0) }

    private static let bufferBytes: Int32 = 1 << 20

    private func set(_ option: Int32, at level: Int32, to value: Int32) {
        let socket = mosquitto_socket(handle)
        guard socket >= 0 else { return }
        var value = value
        setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
