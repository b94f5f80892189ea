import CMosquittoBroker
import Glibc
import Metering

/// The MQTT 5 properties of an incoming message, as a list in the broker's memory.
///
/// User properties whose names begin with `lamplighter-` are reserved for the gate. If a sender sets such a property,
/// the gate removes it. The broker has no function that removes a single property from a list. The gate therefore
/// copies all other properties into a new list.
struct MessageProperties {
    /// The head of the broker's list, or of the new list that replaces it.
    var list: OpaquePointer?

    /// The name of the user property that contains the source address of a message.
    static let address = Array("lamplighter-address".utf8CString)
    /// The name of the user property that tells a worker which field the gate removed from a request.
    static let fault = Array("lamplighter-fault".utf8CString)
    /// The value of `lamplighter-fault` if the gate removed the request's Correlation Data.
    ///
    /// In the response to such a request, the field `error.field` contains the same text.
    static let correlation = "correlationData"
    /// The name of the user property with which a sender sets a message's trace id.
    static let traceparent = Array("traceparent".utf8CString)
    fileprivate static let reserved = Array("lamplighter-".utf8)
    fileprivate static let userProperty = Int32(MQTT_PROP_USER_PROPERTY.rawValue)

    init(_ list: OpaquePointer?) { self.list = list }

    /// The result of `inspect(_:)`.
    struct Findings: Equatable {
        /// The approximate size of the properties in a packet, in bytes.
        var bytes = 0
        /// Whether a property must be removed.
        var mustRemake = false
        var isCorrelationTooLong = false
    }

    /// Measures the properties, and checks whether any must be removed.
    func inspect(_ limits: GateLimits) -> Findings {
        var findings = Findings()
        forEach { value in
            findings.bytes &+= value.count
            guard !value.mayPass(limits) else { return }
            findings.mustRemake = true
            if case .bytes = value { findings.isCorrelationTooLong = true }
        }
        return findings
    }

    /// Calls `body` with each property's value, which is valid only during that call.
    func forEach(_ body: (Value) -> Void) {
        var next = list
        while let property = next {
            Self.with(property, body)
            next = gate_property_next(property)
        }
    }

    /// Removes the properties that must not reach workers.
    ///
    /// If memory runs out, the function returns false and leaves the list unchanged.
    mutating func remake(_ limits: GateLimits) -> Bool {
        var fresh: OpaquePointer?
        var isWhole = true
        forEach { value in if value.mayPass(limits) { isWhole = value.add(to: &fresh) && isWhole } }
        guard isWhole else {
            gate_property_free(&fresh)
            return false
        }
        gate_property_free(&list)
        list = fresh
        return true
    }

    /// Frees the list, unless the list has been handed over to the broker.
    mutating func discard() { gate_property_free(&list) }

    /// Adds a user property, or returns false if memory runs out.
    mutating func add(_ name: [CChar], _ value: String) -> Bool {
        gate_property_add_pair(&list, Self.userProperty, name, value) == MOSQ_ERR_SUCCESS.rawValue
    }
}

extension MessageProperties {
    /// The value of a property, valid only while the function that receives it runs.
    enum Value {
        case byte(Int32, UInt8)
        case text(Int32, UnsafeMutablePointer<CChar>)
        case bytes(Int32, UnsafeMutableRawPointer?, UInt16)
        case pair(UnsafeMutablePointer<CChar>, UnsafeMutablePointer<CChar>)

        var count: Int {
            switch self {
            case .byte: 2
            case .text(_, let text): 3 &+ strlen(text)
            case .bytes(_, _, let count): 3 &+ Int(count)
            case .pair(let name, let value): 5 &+ strlen(name) &+ strlen(value)
            }
        }

        /// Returns whether the property may reach workers.
        ///
        /// Response Topics and Correlation Data have size limits. A user property's name must not be reserved for the
        /// gate.
        func mayPass(_ limits: GateLimits) -> Bool {
            switch self {
            case .byte: return true
            case .text(let id, let text):
                guard id == Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue) else { return true }
                let most = limits.responseTopicBytes
                return most == 0 || strlen(text) <= most
            case .bytes(_, _, let count): return limits.correlationBytes == 0 || Int(count) <= limits.correlationBytes
            case .pair(let name, _):
                let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name))
                return !bytes.starts(with: reserved)
            }
        }

        func add(to list: inout OpaquePointer?) -> Bool {
            let code =
                switch self {
                case .byte(let id, let value): gate_property_add_byte(&list, id, value)
                case .text(let id, let text): gate_property_add_string(&list, id, text)
                case .bytes(let id, let data, let count): gate_property_add_binary(&list, id, data, count)
                case .pair(let name, let value):
                    gate_property_add_pair(&list, MessageProperties.userProperty, name, value)
                }
            return code == MOSQ_ERR_SUCCESS.rawValue
        }
    }

    /// Calls `body` with a property's value, but ignores properties that Mosquitto doesn't keep with a message.
    private static func with(_ property: OpaquePointer, _ body: (Value) -> Void) {
        let id = gate_property_identifier(property)
        switch mqtt5_property(UInt32(id)) {
        case MQTT_PROP_PAYLOAD_FORMAT_INDICATOR:
            var value: UInt8 = 0
            if gate_property_byte(property, id, &value) { body(.byte(id, value)) }
        case MQTT_PROP_CONTENT_TYPE, MQTT_PROP_RESPONSE_TOPIC:
            var text: UnsafeMutablePointer<CChar>?
            guard gate_property_string(property, id, &text), let text else { return }
            body(.text(id, text))
            free(text)
        case MQTT_PROP_CORRELATION_DATA:
            var data: UnsafeMutableRawPointer?
            var count: UInt16 = 0
            guard gate_property_binary(property, id, &data, &count) else { return }
            body(.bytes(id, data, count))
            free(data)
        case MQTT_PROP_USER_PROPERTY:
            var name: UnsafeMutablePointer<CChar>?
            var value: UnsafeMutablePointer<CChar>?
            guard gate_property_pair(property, id, &name, &value), let name, let value else { return }
            body(.pair(name, value))
            free(name)
            free(value)
        default: break
        }
    }
}
