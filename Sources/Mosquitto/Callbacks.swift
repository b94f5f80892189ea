import Batching
import CMosquitto
import Glibc

/// The state that the library's callbacks write and the client reads.
///
/// The callbacks run inside `mosquitto_loop_read` and `_write`, on the client's own thread, while
/// the library holds a mutex that is not recursive: they copy and return, and call only functions
/// of the library that read properties.
final class Callbacks {
    var intake = Intake()
    /// The number of the connection in its set; nil for a single one, and for the set's receiver.
    var outlet: Int?
    /// The topic of incoming batches.
    var batches: [UInt8]?
    /// Deliveries whose acknowledgements are queued and not yet written.
    var acknowledgementsHeld = 0
    /// The number of these that are permitted, and wait for the others.
    var acknowledgementsPermitted = 0
    var unconfirmed = 0
    /// Whether `mosquitto_loop_write` runs, in which the library reports each QoS 0 message as
    /// published.
    var isWriting = false
    var connected: (reasonCode: UInt8, isSessionPresent: Bool)?
    var disconnectReason: UInt8?
    /// The packet ids that the last SUBACK and UNSUBACK answered.
    var subscribed: Int32?
    var unsubscribed: Int32?
    /// The reason code of the first refused filter.
    var refusedFilter: UInt8?

    /// Sets all callbacks of a handle; they find this object through its user pointer.
    static func install(on handle: OpaquePointer) {
        mosquitto_message_v5_callback_set(handle, onMessage)
        mosquitto_publish_v5_callback_set(handle, onPublish)
        mosquitto_connect_v5_callback_set(handle, onConnect)
        mosquitto_disconnect_v5_callback_set(handle, onDisconnect)
        mosquitto_subscribe_v5_callback_set(handle, onSubscribe)
        mosquitto_unsubscribe_v5_callback_set(handle, onUnsubscribe)
    }

    fileprivate static func of(_ user: UnsafeMutableRawPointer?) -> Callbacks? {
        user.map { Unmanaged<Callbacks>.fromOpaque($0).takeUnretainedValue() }
    }

    fileprivate func take(_ message: mosquitto_message, _ properties: OpaquePointer?) {
        guard let topic = message.topic else { return }
        let topicBytes = UnsafeRawBufferPointer(start: topic, count: strlen(topic))
        let payload = UnsafeRawBufferPointer(
            start: message.payload,
            count: Int(message.payloadlen)
        )
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

    /// Stores the messages of a batch; the last of them carries the acknowledgement.
    private func take(batch message: mosquitto_message, _ payload: UnsafeRawBufferPointer) -> Bool {
        let bytes = payload.assumingMemoryBound(to: UInt8.self)
        guard let count = BatchReader.count(in: bytes), var reader = BatchReader(bytes) else {
            return false
        }
        var left = count
        while let next = reader.next() {
            left -= 1
            var delivery = Delivery(
                topic: intake.store(UnsafeRawBufferPointer(next.topic)),
                payload: intake.store(UnsafeRawBufferPointer(next.payload)),
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

    private func add(_ properties: OpaquePointer, to delivery: inout Delivery) {
        var topic: UnsafeMutablePointer<CChar>?
        if mosquitto_property_read_string(
            properties,
            Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue),
            &topic,
            false
        ) != nil, let topic {
            delivery.responseTopic = intake.store(
                UnsafeRawBufferPointer(start: topic, count: strlen(topic))
            )
            // The library made the copy with malloc; the caller frees it.
            free(topic)
        }
        var data: UnsafeMutableRawPointer?
        var length: UInt16 = 0
        if mosquitto_property_read_binary(
            properties,
            Int32(MQTT_PROP_CORRELATION_DATA.rawValue),
            &data,
            &length,
            false
        ) != nil {
            delivery.correlationData = intake.store(
                UnsafeRawBufferPointer(start: data, count: Int(length))
            )
            free(data)
        }
        addWords(properties, to: &delivery)
    }

    /// Stores the user properties that workers read: the gate's source address and removed
    /// property, and the sender's trace.
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

    private func take(
        _ name: UnsafePointer<CChar>,
        _ value: UnsafePointer<CChar>,
        for delivery: inout Delivery
    ) {
        if strcmp(name, "lamplighter-address") == 0 {
            delivery.sourceAddress = intake.store(
                UnsafeRawBufferPointer(start: value, count: strlen(value))
            )
        } else if strcmp(name, "lamplighter-fault") == 0 {
            delivery.isCorrelationTooLong = strcmp(value, "correlationData") == 0
        } else if strcmp(name, PublishProperties.traceparentName) == 0,
            delivery.traceparent == nil
        {
            delivery.traceparent = intake.store(
                UnsafeRawBufferPointer(start: value, count: strlen(value))
            )
        }
    }
}

private func onMessage(
    _: OpaquePointer?,
    _ user: UnsafeMutableRawPointer?,
    _ message: UnsafePointer<mosquitto_message>?,
    _ properties: OpaquePointer?
) {
    guard let callbacks = Callbacks.of(user), let message else { return }
    callbacks.take(message.pointee, properties)
}

/// Notes the broker's answer to a QoS 1 message; ignores QoS 0, which the library reports when it
/// is written.
private func onPublish(
    _: OpaquePointer?,
    _ user: UnsafeMutableRawPointer?,
    _ mid: Int32,
    _ reasonCode: Int32,
    _: OpaquePointer?
) {
    guard let callbacks = Callbacks.of(user), !callbacks.isWriting else { return }
    callbacks.unconfirmed -= 1
    callbacks.intake.append(
        PublishReceipt(
            mid: mid,
            reasonCode: UInt8(truncatingIfNeeded: reasonCode),
            outlet: callbacks.outlet
        )
    )
}

private func onConnect(
    _: OpaquePointer?,
    _ user: UnsafeMutableRawPointer?,
    _ reasonCode: Int32,
    _ flags: Int32,
    _: OpaquePointer?
) {
    Callbacks.of(user)?.connected = (UInt8(truncatingIfNeeded: reasonCode), flags & 1 == 1)
}

private func onDisconnect(
    _: OpaquePointer?,
    _ user: UnsafeMutableRawPointer?,
    _ reasonCode: Int32,
    _: OpaquePointer?
) {
    // Below 0x80 it is a result of the library, which the failing call returns as well.
    guard reasonCode >= 0x80 else { return }
    Callbacks.of(user)?.disconnectReason = UInt8(truncatingIfNeeded: reasonCode)
}

private func onSubscribe(
    _: OpaquePointer?,
    _ user: UnsafeMutableRawPointer?,
    _ mid: Int32,
    _ count: Int32,
    _ codes: UnsafePointer<Int32>?,
    _: OpaquePointer?
) {
    let codes = UnsafeBufferPointer(start: codes, count: Int(count))
    guard let callbacks = Callbacks.of(user) else { return }
    callbacks.subscribed = mid
    if let refused = codes.first(where: { $0 >= 0x80 }) {
        callbacks.refusedFilter = UInt8(truncatingIfNeeded: refused)
    }
}

private func onUnsubscribe(
    _: OpaquePointer?,
    _ user: UnsafeMutableRawPointer?,
    _ mid: Int32,
    _: OpaquePointer?
) {
    Callbacks.of(user)?.unsubscribed = mid
}
