import Batching
import CMosquittoBroker
import Glibc
import JSON
import Metering

/// The functions that Mosquitto offers to a plugin, with Swift types.
///
/// All of these functions are called on the broker's only thread, within its callbacks.
enum Broker {
    /// The data that the broker has about a connecting client.
    struct Facts {
        var username: String?
        var clientId: String
        var address: String
        /// The client's certificate, or nil if the client has no certificate.
        var certificate: ClientCertificate?
    }

    /// The severity of a line in the broker's log.
    enum Level: Int32 {
        case notice = 2
        case warning = 4
        case error = 8
    }

    static func facts(_ client: OpaquePointer) -> Facts? {
        guard let id = gate_client_id(client) else { return nil }
        return Facts(
            username: gate_client_username(client).map { String(cString: $0) },
            clientId: String(cString: id),
            address: gate_client_address(client).map { String(cString: $0) } ?? "",
            certificate: nil
        )
    }

    /// Returns a client's certificate, which the broker has already verified, or nil if the client has no certificate.
    static func certificate(_ client: OpaquePointer) -> ClientCertificate? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: ClientCertificate.nameMax) { name in
            var parts = tm()
            let count = Int32(truncatingIfNeeded: name.count)
            guard let start = name.baseAddress, gate_client_certificate(client, start, count, &parts) else {
                return nil
            }
            let begin = Int64(timegm(&parts)) &* 1_000
            return ClientCertificate(name: String(cString: start), begin: begin)
        }
    }

    /// Publishes an unretained message in the broker's own name, in the next round of the broker's loop.
    static func publish(
        _ topic: String,
        _ payload: [UInt8],
        qos: Int32,
        properties: MessageProperties = MessageProperties(nil)
    ) {
        let count = Int32(truncatingIfNeeded: payload.count)
        let code = gate_publish(topic, payload, count, qos, properties.list)
        if code != MOSQ_ERR_SUCCESS.rawValue { log(.error, "a message of the gate could not be published") }
    }

    /// Publishes a JSON object as a message that isn't retained.
    static func publish(_ topic: String, _ object: JSONObject, qos: Int32) {
        publish(topic, object.encoded(), qos: qos)
    }

    /// Publishes a message from a worker's batch.
    static func publish(_ message: BatchedMessage) {
        let code = withUnsafeTemporaryAllocation(of: CChar.self, capacity: message.topic.count + 1) {
            topic in
            for (index, byte) in message.topic.enumerated() { topic[index] = CChar(bitPattern: byte) }
            topic[message.topic.count] = 0
            return gate_publish_message(
                topic.baseAddress,
                message.payload.baseAddress,
                Int32(truncatingIfNeeded: message.payload.count),
                message.isAtLeastOnce ? 1 : 0,
                message.isRetained,
                message.expirySeconds ?? 0,
                message.correlation?.baseAddress,
                UInt16(truncatingIfNeeded: message.correlation?.count ?? 0),
                message.traceparent?.baseAddress,
                Int32(truncatingIfNeeded: message.traceparent?.count ?? 0)
            )
        }
        if code != MOSQ_ERR_SUCCESS.rawValue { log(.error, "a message of a worker could not be published") }
    }

    /// Copies a topic to memory that the broker later frees.
    ///
    /// The result doesn't include the final NUL. If memory runs out, the result is nil.
    static func copy(topic: [UInt8]) -> Bytes? {
        guard let copy = gate_copy_topic(topic, Int32(truncatingIfNeeded: topic.count)) else { return nil }
        return UnsafeRawBufferPointer(start: copy, count: topic.count).assumingMemoryBound(to: UInt8.self)
    }

    /// Runs the disconnect callback, and then closes the client's connection without publishing the client's will.
    static func kick(_ clientId: String) { _ = gate_kick(clientId) }

    static func log(_ level: Level, _ text: String) { gate_log(level.rawValue, "lamplighter gate: \(text)") }
}

/// The clocks of the gate: wall-clock time for messages, and steady time for limits.
enum Clock {
    /// Returns the number of milliseconds since the Unix epoch.
    static func now() -> Int64 { microseconds() / 1_000 }

    /// Returns milliseconds since an unspecified moment, by a clock that is never set back.
    static func steady() -> Int64 { CoarseClock.milliseconds(CLOCK_MONOTONIC) }

    /// Returns the same time as `steady`, but faster and with an error of a few milliseconds.
    static func coarse() -> Int64 { CoarseClock.milliseconds() }

    /// Returns the number of microseconds since the Unix epoch.
    static func microseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1_000
    }
}
