import CMosquittoBroker
import Glibc

// The functions that Mosquitto calls, which only translate between C and `Gate`. For BASIC_AUTH, Mosquitto 2.0.11 turns
// only the refusal `MOSQ_ERR_AUTH` into a CONNACK. The CONNACK contains reason code 0x87 in MQTT 5, or return code 5 in
// MQTT 3.1.1. `MOSQ_ERR_ACL_DENIED` is the only answer to ACL_CHECK that refuses the packet and keeps the connection.
// `MOSQ_ERR_PLUGIN_DEFER` is never returned, because it would leave the decision to other plugins.

private let events = [
    MOSQ_EVT_BASIC_AUTH, MOSQ_EVT_ACL_CHECK, MOSQ_EVT_MESSAGE, MOSQ_EVT_DISCONNECT, MOSQ_EVT_TICK, MOSQ_EVT_CONTROL,
    MOSQ_EVT_RELOAD,
]
private let controlTopic = "$CONTROL/lamplighter/v1"
private let publishTopic = "$CONTROL/lamplighter/publish"
private let requestTopic = "$CONTROL/lamplighter/request"

/// The implementation of the shared library's entry points.
///
/// The entry points are in a separate target (`GatePlugin`), which links the Swift runtime statically. If this target
/// did so too, its tests would load the runtime twice.
package enum Plugin {
    /// Returns the version of the plugin interface that the gate implements, or -1 if the broker doesn't offer it.
    package static func version(_ offered: UnsafePointer<Int32>?, count: Int32) -> Int32 {
        UnsafeBufferPointer(start: offered, count: Int(max(0, count))).contains(5) ? 5 : -1
    }

    /// Starts the gate, and returns 0 if the broker may start.
    package static func start(
        _ plugin: OpaquePointer?,
        _ userData: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        options: UnsafeMutableRawPointer?,
        count: Int32
    ) -> Int32 {
        do {
            let options = options?.assumingMemoryBound(to: mosquitto_opt.self)
            let settings = try Settings(options, count: Int(count))
            guard let worker = settings.worker else { return MOSQ_ERR_INVAL.rawValue }
            let gate = Unmanaged.passRetained(Gate(settings, worker: worker)).toOpaque()
            userData?.pointee = gate
            return register(plugin, gate)
        } catch {
            Broker.log(.error, error.text)
            return MOSQ_ERR_INVAL.rawValue
        }
    }

    /// Releases the gate that `start` stored in the user data.
    package static func stop(_ userData: UnsafeMutableRawPointer?) {
        if let userData { Unmanaged<Gate>.fromOpaque(userData).release() }
    }

    private static func register(_ plugin: OpaquePointer?, _ gate: UnsafeMutableRawPointer) -> Int32 {
        for event in events {
            let topics = event == MOSQ_EVT_CONTROL ? [controlTopic, publishTopic, requestTopic] : [nil]
            for topic in topics {
                let code = gate_register(plugin, Int32(event.rawValue), answer, topic, gate)
                guard code == MOSQ_ERR_SUCCESS.rawValue else { return code }
            }
        }
        return MOSQ_ERR_SUCCESS.rawValue
    }
}

private func answer(_ event: Int32, _ data: UnsafeMutableRawPointer?, _ userData: UnsafeMutableRawPointer?) -> Int32 {
    guard let data, let userData else { return MOSQ_ERR_ACL_DENIED.rawValue }
    let gate = Unmanaged<Gate>.fromOpaque(userData).takeUnretainedValue()
    let isDelivering = event == Int32(MOSQ_EVT_ACL_CHECK.rawValue)
    if gate.shortage.refuses(event, of: data, at: gate) {
        guard event == Int32(MOSQ_EVT_BASIC_AUTH.rawValue) else { return MOSQ_ERR_ACL_DENIED.rawValue }
        let event = data.assumingMemoryBound(to: mosquitto_evt_basic_auth.self).pointee
        event.client.map(PrivateStructure.freeRefusedWill)
        return MOSQ_ERR_AUTH.rawValue
    }
    if !isDelivering { gate.endPassing() }
    switch event {
    case Int32(MOSQ_EVT_ACL_CHECK.rawValue):
        return access(gate, data.assumingMemoryBound(to: mosquitto_evt_acl_check.self).pointee)
    case Int32(MOSQ_EVT_MESSAGE.rawValue):
        return message(gate, data.assumingMemoryBound(to: mosquitto_evt_message.self))
    case Int32(MOSQ_EVT_BASIC_AUTH.rawValue):
        return connect(gate, data.assumingMemoryBound(to: mosquitto_evt_basic_auth.self).pointee)
    case Int32(MOSQ_EVT_DISCONNECT.rawValue):
        let event = data.assumingMemoryBound(to: mosquitto_evt_disconnect.self).pointee
        if let client = event.client { gate.forget(client, reason: event.reason) }
    case Int32(MOSQ_EVT_RELOAD.rawValue):
        // On SIGHUP, the broker loads a new certificate. The broker then asks BASIC_AUTH about every client, in some
        // cases without a password.
        gate.isReloading = true
    case Int32(MOSQ_EVT_CONTROL.rawValue):
        let event = data.assumingMemoryBound(to: mosquitto_evt_control.self).pointee
        guard let client = event.client, let payload = event.payload else { break }
        let bytes = borrow(payload, count: event.payloadlen)
        switch event.topic.map({ String(cString: $0) }) {
        case publishTopic: gate.publishBatch(client, bytes)
        case requestTopic: gate.publishRequests(client, bytes)
        default: gate.control(client, bytes)
        }
    default: gate.tick()
    }
    return MOSQ_ERR_SUCCESS.rawValue
}

/// Returns a view of the broker's payload, or an empty view if the payload is nil.
private func borrow(_ payload: UnsafeRawPointer?, count: UInt32) -> Bytes {
    UnsafeRawBufferPointer(start: payload, count: payload == nil ? 0 : Int(count)).assumingMemoryBound(to: UInt8.self)
}

private func borrow(_ text: UnsafePointer<CChar>) -> Bytes {
    UnsafeRawBufferPointer(start: text, count: strlen(text)).assumingMemoryBound(to: UInt8.self)
}

private func connect(_ gate: Gate, _ event: mosquitto_evt_basic_auth) -> Int32 {
    guard let client = event.client else { return MOSQ_ERR_AUTH.rawValue }
    let password = event.password.flatMap { Hash.of($0, count: strlen($0)) }
    if gate.admit(client, password: password) { return MOSQ_ERR_SUCCESS.rawValue }
    PrivateStructure.freeRefusedWill(of: client)
    return MOSQ_ERR_AUTH.rawValue
}

private func access(_ gate: Gate, _ event: mosquitto_evt_acl_check) -> Int32 {
    guard let client = event.client, let text = event.topic,
        let access = Gate.Access(event)
    else { return MOSQ_ERR_ACL_DENIED.rawValue }
    let may = gate.mayAccess(client, access, to: borrow(text))
    return may ? MOSQ_ERR_SUCCESS.rawValue : MOSQ_ERR_ACL_DENIED.rawValue
}

private func message(_ gate: Gate, _ event: UnsafeMutablePointer<mosquitto_evt_message>) -> Int32 {
    guard let client = event.pointee.client, let text = event.pointee.topic else { return MOSQ_ERR_ACL_DENIED.rawValue }
    let given = borrow(text)
    var topic = given
    let mayPass = gate.pass(
        client,
        topic: &topic,
        payload: borrow(event.pointee.payload, count: event.pointee.payloadlen),
        qos: event.pointee.qos,
        properties: &event.pointee.properties
    )
    if topic.baseAddress != given.baseAddress, let start = topic.baseAddress {
        // The broker frees its original topic, and later frees this copy.
        event.pointee.topic = UnsafeMutableRawPointer(mutating: start).assumingMemoryBound(to: CChar.self)
    }
    return mayPass ? MOSQ_ERR_SUCCESS.rawValue : MOSQ_ERR_ACL_DENIED.rawValue
}

extension Gate.Access {
    /// Reads the requested access from an event of the broker, whose payload is valid until the event is answered.
    fileprivate init?(_ event: mosquitto_evt_acl_check) {
        switch event.access {
        case MOSQ_ACL_READ: self = .receive(bytes: Int(event.payloadlen))
        case MOSQ_ACL_WRITE:
            let payload = borrow(event.payload, count: event.payloadlen)
            self = .publish(payload, retained: event.retain)
        case MOSQ_ACL_SUBSCRIBE: self = .subscribe
        case MOSQ_ACL_UNSUBSCRIBE: self = .unsubscribe
        default: return nil
        }
    }
}
