import CMosquitto
import Glibc
package import Mosquitto

/// A subscriber as in the library's manual, which confirms each message before it sees it.
///
/// `lamplighter-bench` compares the service with it, and a test uses it to show that the loss which
/// `MosquittoClient` prevents would be noticed. It uses the host, port, client id and credentials
/// of its options, but no TLS.
package struct PlainSubscriber: ~Copyable {
    private let handle: OpaquePointer
    private let count: Counter

    private final class Counter {
        var received = 0
        var granted = 0
        /// The number of messages received before each unanswered SUBSCRIBE.
        var asked: [Int] = []
        var confirmed = 0
    }

    /// Connects and subscribes with QoS 1, with `mosquitto_connect_bind_v5` and `mosquitto_loop`.
    ///
    /// - Throws: `MosquittoError`.
    package init(_ options: ConnectionOptions, filters: [String]) throws(MosquittoError) {
        try check("mosquitto_lib_init", Self.library)
        let count = Counter()
        let user = Unmanaged.passUnretained(count).toOpaque()
        guard let handle = mosquitto_new(options.clientID, options.cleanStart, user) else {
            throw MosquittoError(.outOfMemory, function: "mosquitto_new")
        }
        do throws(MosquittoError) {
            try Self.apply(options, to: handle)
            mosquitto_message_callback_set(handle) { _, user, _ in
                guard let user else { return }
                Unmanaged<Counter>.fromOpaque(user).takeUnretainedValue().received += 1
            }
            mosquitto_subscribe_callback_set(handle) { _, user, _, _, _ in
                guard let user else { return }
                let count = Unmanaged<Counter>.fromOpaque(user).takeUnretainedValue()
                count.granted += 1
                if !count.asked.isEmpty { count.confirmed = count.asked.removeFirst() }
            }
            try Self.start(handle, options, filters: filters)
        } catch {
            mosquitto_destroy(handle)
            throw error
        }
        self.handle = handle
        self.count = count
    }

    deinit {
        mosquitto_destroy(handle)
        withExtendedLifetime(count) {}
    }

    /// The number of messages received so far.
    package var received: Int { count.received }

    /// The number of messages whose confirmations the broker has read, as of the last answer to
    /// `askForConfirmed(_:)`.
    package var confirmed: Int { count.confirmed }

    /// Subscribes to one more filter without waiting.
    ///
    /// A broker reads a connection in order: when it answers, it has read all confirmations sent before.
    ///
    /// - Throws: `MosquittoError`.
    package mutating func askForConfirmed(_ filter: String) throws(MosquittoError) {
        count.asked.append(count.received)
        try check("mosquitto_subscribe", mosquitto_subscribe(handle, nil, filter, 1))
    }

    /// Whether the broker has granted a filter; messages published before are not received.
    package var isSubscribed: Bool { count.granted > 0 }

    /// Subscribes to one more filter and loops until the broker has answered, and so has read
    /// everything that this client sent before.
    ///
    /// - Throws: `MosquittoError`.
    package mutating func roundTrip(_ filter: String) throws(MosquittoError) {
        let before = count.granted
        try check("mosquitto_subscribe", mosquitto_subscribe(handle, nil, filter, 1))
        while count.granted == before { try loop() }
    }

    /// Runs the library's own loop once: waits up to 100 ms, reads the available messages and confirms them.
    ///
    /// - Throws: `MosquittoError` when the connection has ended.
    package mutating func loop() throws(MosquittoError) {
        try check("mosquitto_loop", mosquitto_loop(handle, 100, 1))
    }

    /// The library's own state, initialised once.
    private static let library: Int32 = {
        signal(SIGPIPE, SIG_IGN)
        return mosquitto_lib_init()
    }()

    private static func apply(
        _ options: ConnectionOptions,
        to handle: OpaquePointer
    ) throws(MosquittoError) {
        let values = [
            (MOSQ_OPT_PROTOCOL_VERSION, Int32(MQTT_PROTOCOL_V5)),
            (MOSQ_OPT_RECEIVE_MAXIMUM, Int32(options.receiveMaximum)),
            (MOSQ_OPT_SEND_MAXIMUM, Int32(options.sendMaximum)), (MOSQ_OPT_TCP_NODELAY, 1),
        ]
        for (option, value) in values {
            try check("mosquitto_int_option", mosquitto_int_option(handle, option, value))
        }
        guard let username = options.username else { return }
        try check(
            "mosquitto_username_pw_set",
            mosquitto_username_pw_set(handle, username, options.password)
        )
    }

    private static func start(
        _ handle: OpaquePointer,
        _ options: ConnectionOptions,
        filters: [String]
    ) throws(MosquittoError) {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        mosquitto_property_add_int32(
            &properties,
            Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue),
            options.sessionExpirySeconds
        )
        try check(
            "mosquitto_connect_bind_v5",
            mosquitto_connect_bind_v5(
                handle,
                options.host,
                Int32(options.port),
                Int32(options.keepAliveSeconds),
                nil,
                properties
            )
        )
        for filter in filters {
            try check("mosquitto_subscribe", mosquitto_subscribe(handle, nil, filter, 1))
        }
    }
}

/// Turns a result of the library into an error.
private func check(_ function: StaticString, _ result: Int32) throws(MosquittoError) {
    guard result != MOSQ_ERR_SUCCESS.rawValue else { return }
    throw MosquittoError(.init(rawValue: result), function: "\(function)")
}
