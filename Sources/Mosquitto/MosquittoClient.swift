import CMosquitto
import Glibc

/// One MQTT 5 connection whose acknowledgements leave only in `flush()`.
///
/// The library has no manual acknowledgement. But with `mosquitto_threaded_set` it queues each
/// PUBACK and leaves all writing to `mosquitto_loop_write`, which only `flush()` calls while
/// acknowledgements are held. So: receive, commit, publish, flush; a process that dies before the
/// flush gets everything again. After an error the client can't be used: drop it without a flush
/// and make a new one, since a reconnecting handle would send its unconfirmed messages
/// automatically.
///
/// It belongs to the one thread that made it and blocks that thread; other threads may use only its
/// `Waker`.
///
/// ```swift
/// var client = try MosquittoClient(options, waker: waker)
/// let isSessionPresent = try client.connect()
/// try client.subscribe(["plant/+/report"])
/// while true {
///     try client.receive(upTo: 500, linger: .milliseconds(5), wait: .seconds(1), into: &intake)
///     try commit(intake)
///     try client.flush()
/// }
/// ```
package struct MosquittoClient: ~Copyable {
    let handle: OpaquePointer
    let callbacks: Callbacks
    let waker: Waker
    let options: ConnectionOptions
    /// A topic with its closing NUL for C, in reused memory.
    var topic: [CChar] = []
    var nextMisc = ContinuousClock.now

    /// Creates a handle with these options (`mosquitto_new`), without connecting.
    ///
    /// - Throws: `MosquittoError`, for example if a file of `TLS` can't be read.
    package init(_ options: ConnectionOptions, waker: Waker) throws(MosquittoError) {
        try check("mosquitto_lib_init", Library.result)
        let callbacks = Callbacks()
        let user = Unmanaged.passUnretained(callbacks).toOpaque()
        guard let handle = mosquitto_new(options.clientID, options.cleanStart, user) else {
            throw MosquittoError(.outOfMemory, function: "mosquitto_new")
        }
        do throws(MosquittoError) {
            try options.apply(to: handle)
        } catch {
            mosquitto_destroy(handle)
            throw error
        }
        Callbacks.install(on: handle)
        self.handle = handle
        self.callbacks = callbacks
        self.waker = waker
        self.options = options
    }

    deinit {
        // Closes the socket without a DISCONNECT; queued packets are freed, not sent.
        mosquitto_destroy(handle)
        withExtendedLifetime(callbacks) {}
    }

    /// The number of messages published with QoS 1 that the broker has not confirmed yet.
    package var unconfirmed: Int { callbacks.unconfirmed }

    /// Connects and waits for the broker's CONNACK: `mosquitto_connect_bind_v5`.
    ///
    /// Name look-up and TCP connection take as long as the system lets them, the rest up to
    /// `connectTimeout`.
    /// - Returns: Whether the broker still had the session, with its subscriptions and queue.
    /// - Throws: `MosquittoError`; with a `reasonCode` if the broker refused.
    package mutating func connect() throws(MosquittoError) -> Bool {
        var properties = Properties()
        properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, options.sessionExpirySeconds)
        try check(
            "mosquitto_connect_bind_v5",
            mosquitto_connect_bind_v5(
                handle,
                options.host,
                Int32(options.port),
                Int32(options.keepAliveSeconds),
                nil,
                properties.list
            )
        )
        tuneSocket()
        try awaitAnswer(within: options.connectTimeout, "connect") { $0.connected != nil }
        guard let answer = callbacks.connected, answer.reasonCode == 0 else {
            throw MosquittoError(
                .connectionRefused,
                function: "connect",
                reasonCode: callbacks.connected?.reasonCode
            )
        }
        return answer.isSessionPresent
    }

    /// Disconnects, so that the broker does not publish the will: `mosquitto_disconnect_v5`.
    ///
    /// Does nothing while acknowledgements are held: DISCONNECT would take them along, and
    /// uncommitted messages would be lost. Waits at most `writeTimeout`.
    package mutating func disconnect() {
        guard callbacks.acknowledgementsHeld == 0 else { return }
        guard mosquitto_disconnect_v5(handle, 0, nil) == MOSQ_ERR_SUCCESS.rawValue else { return }
        // The library closes the socket once it has written DISCONNECT; if the connection is lost
        // first, it ends too.
        try? flush()
    }
}
