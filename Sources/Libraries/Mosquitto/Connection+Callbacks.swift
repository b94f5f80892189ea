import Batching
import CMosquitto
import Glibc

/// The library's callbacks.
///
/// The callbacks run inside `mosquitto_loop_read` and `mosquitto_loop_write`, on the client's thread. Meanwhile, the
/// library holds a mutex that isn't recursive. The callbacks therefore only copy data and read properties.
extension Connection {
    /// Sets all callbacks of the handle, which find this object through the handle's user pointer.
    func setCallbacks() {
        mosquitto_message_v5_callback_set(handle) { _, user, message, properties in
            guard let message else { return }
            Connection.of(user)?.take(message.pointee, properties)
        }
        mosquitto_publish_v5_callback_set(handle) { _, user, mid, reasonCode, _ in
            Connection.of(user)?.takeReceipt(of: mid, UInt8(truncatingIfNeeded: reasonCode))
        }
        mosquitto_connect_v5_callback_set(handle) { _, user, reasonCode, flags, _ in
            Connection.of(user)?.connected = (UInt8(truncatingIfNeeded: reasonCode), flags & 1 == 1)
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, user, reasonCode, _ in
            // A code below 0x80 comes from the library, not from the broker. Such a code isn't recorded here, because
            // the library call that failed also returns it.
            guard reasonCode >= 0x80 else { return }
            Connection.of(user)?.disconnectReason = UInt8(truncatingIfNeeded: reasonCode)
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, user, mid, count, codes, _ in
            let codes = UnsafeBufferPointer(start: codes, count: Int(count))
            Connection.of(user)?.answered = mid
            guard let refused = codes.first(where: { $0 >= 0x80 }) else { return }
            Connection.of(user)?.refusedFilter = UInt8(truncatingIfNeeded: refused)
        }
        mosquitto_unsubscribe_v5_callback_set(handle) { _, user, mid, _ in Connection.of(user)?.answered = mid }
    }

    private static func of(_ user: UnsafeMutableRawPointer?) -> Connection? {
        user.map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Records the broker's answer to a QoS 1 message, and ignores the library's reports about QoS 0 messages.
    private func takeReceipt(of mid: Int32, _ reasonCode: UInt8) {
        guard !isWriting else { return }
        unconfirmed -= 1
        intake.append(PublishReceipt(mid: mid, reasonCode: reasonCode, outlet: outlet))
    }

    private func take(_ message: mosquitto_message, _ properties: OpaquePointer?) {
        guard let topic = message.topic else { return }
        let topicBytes = UnsafeRawBufferPointer(start: topic, count: strlen(topic))
        let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
        let isAcknowledged = message.qos > 0
        if isAcknowledged { acknowledgementsHeld += 1 }
        if let batches, topicBytes.elementsEqual(batches), take(batch: message, payload) { return }
        var delivery = Delivery(
            topic: intake.store(topicBytes),
            payload: intake.store(payload),
            quality: isAcknowledged ? .atLeastOnce : .atMostOnce,
            isRetained: message.retain
        )
        if let properties { add(properties, to: &delivery) }
        intake.append(delivery)
    }

    /// Stores the messages of a batch.
    ///
    /// A batch has only one acknowledgement, which belongs to its last message.
    private func take(batch message: mosquitto_message, _ payload: UnsafeRawBufferPointer) -> Bool {
        let bytes = payload.assumingMemoryBound(to: UInt8.self)
        guard let count = BatchReader.count(in: bytes), var reader = BatchReader(bytes) else { return false }
        var left = count
        while let next = reader.next() {
            left -= 1
            var delivery = Delivery(
                topic: store(next.topic),
                payload: store(next.payload),
                quality: left == 0 && message.qos > 0 ? .atLeastOnce : .atMostOnce,
                isRetained: next.isRetained
            )
            delivery.responseTopic = next.responseTopic.map(store)
            delivery.correlationData = next.correlation.map(store)
            delivery.sourceAddress = next.sourceAddress.map(store)
            delivery.traceparent = next.traceparent.map(store)
            delivery.isCorrelationTooLong = next.isCorrelationTooLong
            intake.append(delivery)
        }
        return true
    }

    private func store(_ piece: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        intake.store(UnsafeRawBufferPointer(piece))
    }

    private func store(text: UnsafePointer<CChar>) -> Range<Int> {
        intake.store(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    /// Stores a message's properties, and frees the copies that the library returns.
    private func add(_ properties: OpaquePointer, to delivery: inout Delivery) {
        var topic: UnsafeMutablePointer<CChar>?
        let topicID = Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue)
        if mosquitto_property_read_string(properties, topicID, &topic, false) != nil, let topic {
            delivery.responseTopic = store(text: topic)
            free(topic)
        }
        var data: UnsafeMutableRawPointer?
        var length: UInt16 = 0
        let dataID = Int32(MQTT_PROP_CORRELATION_DATA.rawValue)
        if mosquitto_property_read_binary(properties, dataID, &data, &length, false) != nil {
            let piece = UnsafeRawBufferPointer(start: data, count: Int(length))
            delivery.correlationData = intake.store(piece)
            free(data)
        }
        addWords(properties, to: &delivery)
    }

    /// Stores the user properties that the gate added (`lamplighter-address`, `lamplighter-fault`) and the sender's
    /// `traceparent`.
    private func addWords(_ properties: OpaquePointer, to delivery: inout Delivery) {
        let pair = Int32(MQTT_PROP_USER_PROPERTY.rawValue)
        var next: OpaquePointer? = properties
        while let property = next {
            next = mosquitto_property_next(property)
            guard mosquitto_property_identifier(property) == pair else { continue }
            var name: UnsafeMutablePointer<CChar>?
            var value: UnsafeMutablePointer<CChar>?
            let found = mosquitto_property_read_string_pair(property, pair, &name, &value, false)
            if found != nil, let name, let value { take(name, value, for: &delivery) }
            free(name)
            free(value)
        }
    }

    private func take(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>, for delivery: inout Delivery) {
        let isTrace = strcmp(name, PublishProperties.traceparentName) == 0
        if strcmp(name, "lamplighter-address") == 0 {
            delivery.sourceAddress = store(text: value)
        } else if strcmp(name, "lamplighter-fault") == 0 {
            delivery.isCorrelationTooLong = strcmp(value, "correlationData") == 0
        } else if isTrace, delivery.traceparent == nil {
            delivery.traceparent = store(text: value)
        }
    }
}
