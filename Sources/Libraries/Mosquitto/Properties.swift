import CMosquitto

/// A list of MQTT 5 properties, which is freed when the value is destroyed.
struct Properties: ~Copyable {
    private(set) var list: OpaquePointer?

    deinit {
        var list = list
        mosquitto_property_free_all(&list)
    }

    mutating func add(_ property: mqtt5_property, _ value: UInt32) {
        mosquitto_property_add_int32(&list, Int32(property.rawValue), value)
    }

    mutating func add(_ property: mqtt5_property, _ value: [UInt8]) {
        mosquitto_property_add_binary(&list, Int32(property.rawValue), value, UInt16(clamping: value.count))
    }

    mutating func add(_ property: mqtt5_property, _ value: String) {
        mosquitto_property_add_string(&list, Int32(property.rawValue), value)
    }

    mutating func add(userProperty name: String, _ value: String) {
        let property = Int32(MQTT_PROP_USER_PROPERTY.rawValue)
        mosquitto_property_add_string_pair(&list, property, name, value)
    }
}

/// The MQTT 5 properties that a published message can carry.
package struct PublishProperties: Equatable, Sendable {
    /// The topic on which the sender wants the answer.
    package var responseTopic: String?
    /// The source address of an HTTP request, for the broker's plugin.
    ///
    /// The address is sent only in batches.
    package var sourceAddress: String?
    /// A request's correlation data, at most 65,535 bytes, which the answer returns unchanged.
    package var correlationData: [UInt8]?
    /// The number of seconds after which the broker drops the message if it is still undelivered.
    package var messageExpirySeconds: UInt32?
    /// The user property `traceparent`, which names the trace to which the message belongs.
    package var traceparent: String?

    static let traceparentName = "traceparent"

    /// Makes properties; those that are nil aren't sent.
    package init(
        responseTopic: String? = nil,
        sourceAddress: String? = nil,
        correlationData: [UInt8]?,
        messageExpirySeconds: UInt32?,
        traceparent: String?
    ) {
        self.responseTopic = responseTopic
        self.sourceAddress = sourceAddress
        self.correlationData = correlationData
        self.traceparent = traceparent
        self.messageExpirySeconds = messageExpirySeconds
    }

    func makeList() -> Properties {
        var list = Properties()
        if let responseTopic { list.add(MQTT_PROP_RESPONSE_TOPIC, responseTopic) }
        if let correlationData { list.add(MQTT_PROP_CORRELATION_DATA, correlationData) }
        if let messageExpirySeconds { list.add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, messageExpirySeconds) }
        if let traceparent { list.add(userProperty: Self.traceparentName, traceparent) }
        return list
    }
}
