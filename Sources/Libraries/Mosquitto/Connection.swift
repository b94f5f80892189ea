import CMosquitto
import Glibc

/// One MQTT 5 connection of a `MosquittoClient`: a handle of libmosquitto, and the state that its callbacks write.
///
/// A class, since the callbacks find it through the handle's user pointer, and since an array can't hold a noncopyable
/// value. It belongs to its client's thread.
final class Connection {
    let handle: OpaquePointer
    let options: ConnectionOptions
    /// The connection's number among the outlets; nil for the receiver.
    let outlet: Int?
    /// The topic of incoming batches.
    let batches: [UInt8]?
    /// The outlet's messages to be sent as one; nil if each is sent separately.
    let batch: PublishBatch?
    /// The messages and receipts that the client has not taken yet.
    var intake = Intake()
    /// Deliveries whose acknowledgements are queued and not yet written.
    var acknowledgementsHeld = 0
    /// The number of queued acknowledgements that are permitted, and wait for the others.
    var acknowledgementsPermitted = 0
    /// The number of messages published with QoS 1 that the broker has not confirmed yet.
    var unconfirmed = 0
    /// Whether `mosquitto_loop_write` runs, in which the library reports each QoS 0 message as published.
    var isWriting = false
    /// Whether the last read did not empty the socket; with TLS the rest can be in OpenSSL's buffer, where `poll` does
    /// not see it.
    var hasUnread = false
    /// The events of the last `poll`.
    var events: Int16 = 0
    var connected: (reasonCode: UInt8, isSessionPresent: Bool)?
    var disconnectReason: UInt8?
    /// The packet id that the last SUBACK or UNSUBACK answered.
    var answered: Int32?
    /// The reason code of the first refused filter.
    var refusedFilter: UInt8?
    private var nextMisc = ContinuousClock.now

    /// Creates a handle with these options, without connecting.
    init(_ options: ConnectionOptions, outlet: Int? = nil) throws(MosquittoError) {
        let isOutlet = outlet != nil
        handle = try options.makeHandle()
        self.options = options
        self.outlet = outlet
        batches = isOutlet ? nil : options.batches.map { Array($0.incoming.utf8) }
        batch = isOutlet ? options.batches.map { PublishBatch(topic: $0.outgoing) } : nil
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        setCallbacks()
        try check("mosquitto_threaded_set", mosquitto_threaded_set(handle, true))
    }

    // Closes the socket without a DISCONNECT; queued packets are freed, not sent.
    deinit { mosquitto_destroy(handle) }

    /// Connects and waits for the CONNACK; returns whether the broker still had the session.
    func connect() throws(MosquittoError) -> Bool {
        try options.connect(handle)
        tuneSocket()
        try awaitAnswer("connect") { $0.connected != nil }
        guard let answer = connected, answer.reasonCode == 0 else {
            throw MosquittoError(.connectionRefused, function: "connect", reasonCode: connected?.reasonCode)
        }
        return answer.isSessionPresent
    }

    /// Writes the queued output and a DISCONNECT, unless acknowledgements are held, which it would take along:
    /// `mosquitto_disconnect_v5`.
    func disconnect(within limit: Duration) {
        guard acknowledgementsHeld == 0 else { return }
        guard mosquitto_disconnect_v5(handle, 0, nil) == MOSQ_ERR_SUCCESS.rawValue else { return }
        // The library closes the socket once it has written DISCONNECT; if the connection is lost first, it ends too.
        try? flush(within: limit)
    }

    /// Sends a PINGREQ if one is due, and notices a broker that no longer answers: `mosquitto_loop_misc`.
    func tick() throws(MosquittoError) {
        let now = ContinuousClock.now
        guard now >= nextMisc else { return }
        nextMisc = now + .milliseconds(500)
        try checkConnection("mosquitto_loop_misc", mosquitto_loop_misc(handle))
    }

    /// Works like `check`, but prefers the reason with which the broker ended the connection.
    func checkConnection(_ function: String, _ result: Int32) throws(MosquittoError) {
        let systemError = errno
        if let refused = refusedFilter {
            throw MosquittoError(.subscriptionRefused, function: "subscribe", reasonCode: refused)
        }
        if let reason = disconnectReason { throw MosquittoError(.disconnected, function: function, reasonCode: reason) }
        guard result != MOSQ_ERR_SUCCESS.rawValue else { return }
        if let answer = connected, answer.reasonCode != 0 {
            throw MosquittoError(.connectionRefused, function: "connect", reasonCode: answer.reasonCode)
        }
        errno = systemError
        try check(function, result)
    }
}
