import CMosquitto
import Glibc

/// One MQTT 5 connection of a `MosquittoClient`: a libmosquitto handle and the state that its callbacks change.
///
/// The type is a class so that callbacks can find the connection through the handle's user pointer. A noncopyable
/// struct would also not fit, because a client keeps its connections in arrays, which can't contain noncopyable values.
/// A connection belongs to its client's thread.
final class Connection {
    let handle: OpaquePointer
    let options: ConnectionOptions
    /// The outlet's number, or nil if the connection is the receiver.
    let outlet: Int?
    /// The topic of incoming batches, or nil if the connection receives no batches.
    let batches: [UInt8]?
    /// The messages that an outlet collects for one batch, or nil if the connection sends each message separately.
    let batch: PublishBatch?
    /// The messages and receipts that the client hasn't taken yet.
    var intake = Intake()
    /// The number of deliveries whose acknowledgements are queued and must not be written yet.
    var acknowledgementsHeld = 0
    /// The number of permitted acknowledgements, which stay queued until all queued acknowledgements are permitted.
    var acknowledgementsPermitted = 0
    /// The number of messages published with QoS 1 that the broker has not confirmed yet.
    var unconfirmed = 0
    /// True while `mosquitto_loop_write` is running.
    ///
    /// During this call, the library reports each QoS 0 message as published once it has written the message.
    var isWriting = false
    /// True if unread data may be left, perhaps in OpenSSL's buffer, where `poll` doesn't see it.
    var hasUnread = false
    /// The events that the last `poll` reported.
    var events: Int16 = 0
    var connected: (reasonCode: UInt8, isSessionPresent: Bool)?
    var disconnectReason: UInt8?
    /// The packet id in the last SUBACK or UNSUBACK.
    var answered: Int32?
    /// The reason code of the first refused filter.
    var refusedFilter: UInt8?
    private var nextMisc = ContinuousClock.now

    /// Creates a handle with the options, without connecting.
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

    // Closes the socket without a DISCONNECT. Queued packets are freed and not sent.
    deinit { mosquitto_destroy(handle) }

    /// Connects, waits for the CONNACK, and returns whether the broker still had the session.
    func connect() throws(MosquittoError) -> Bool {
        try options.connect(handle)
        tuneSocket()
        try awaitAnswer("connect") { $0.connected != nil }
        guard let answer = connected, answer.reasonCode == 0 else {
            throw MosquittoError(.connectionRefused, function: "connect", reasonCode: connected?.reasonCode)
        }
        return answer.isSessionPresent
    }

    /// Writes the queued output and a DISCONNECT, unless acknowledgements are held.
    func disconnect(within limit: Duration) {
        guard acknowledgementsHeld == 0 else { return }
        guard mosquitto_disconnect_v5(handle, 0, nil) == MOSQ_ERR_SUCCESS.rawValue else { return }
        // After writing DISCONNECT, the library closes the socket. The library also closes it if the connection is lost
        // earlier.
        try? flush(within: limit)
    }

    /// Sends a due PINGREQ, and throws an error if the broker no longer answers (`mosquitto_loop_misc`).
    func tick() throws(MosquittoError) {
        let now = ContinuousClock.now
        guard now >= nextMisc else { return }
        nextMisc = now + .milliseconds(500)
        try checkConnection("mosquitto_loop_misc", mosquitto_loop_misc(handle))
    }

    /// Throws an error for a failure, a refused filter or a disconnection, with its reason code.
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
