import CMosquitto
package import Mosquitto

/// A subscriber as in libmosquitto's manual: the library confirms each message before the program processes it.
///
/// `lamplighter-bench` compares the service with this subscriber. A test uses this subscriber to show why the service
/// needs `MosquittoClient`, which confirms messages only after they are processed. If a process confirms messages
/// earlier and then dies, these messages are lost.
package struct PlainSubscriber: ~Copyable {
    private let count: Counter

    private final class Counter {
        let handle: OpaquePointer
        var received = 0
        var granted = 0
        /// For each unanswered SUBSCRIBE packet, how many messages had been received when the packet was sent.
        var asked: [Int] = []
        var confirmed = 0

        init(_ handle: OpaquePointer) { self.handle = handle }

        deinit { mosquitto_destroy(handle) }

        func subscribe(_ filter: String) throws(MosquittoError) {
            try check("mosquitto_subscribe", mosquitto_subscribe(handle, nil, filter, 1))
        }
    }

    /// Connects and subscribes with QoS 1, by means of `mosquitto_connect_bind_v5` and `mosquitto_loop`.
    package init(_ options: ConnectionOptions, filters: [String]) throws(MosquittoError) {
        let handle = try options.makeHandle()
        let count = Counter(handle)
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(count).toOpaque())
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
        try options.connect(handle)
        for filter in filters { try count.subscribe(filter) }
        self.count = count
    }

    /// The number of messages received so far.
    package var received: Int { count.received }

    /// The number of confirmations that the broker had read when it last answered `askForConfirmed(_:)`.
    package var confirmed: Int { count.confirmed }

    /// Subscribes to one more filter, without waiting for the broker's answer.
    ///
    /// The broker reads packets in order. Its answer therefore shows that it has read all earlier confirmations.
    ///
    /// - Throws: `MosquittoError`.
    package mutating func askForConfirmed(_ filter: String) throws(MosquittoError) {
        count.asked.append(count.received)
        try count.subscribe(filter)
    }

    /// Whether the broker has granted a filter, so that messages can arrive.
    package var isSubscribed: Bool { count.granted > 0 }

    /// Subscribes to one more filter, and waits until the answer shows that all earlier packets were read.
    package mutating func roundTrip(_ filter: String) throws(MosquittoError) {
        let before = count.granted
        try count.subscribe(filter)
        while count.granted == before { try loop() }
    }

    /// Runs the library's loop once: waits up to 100 ms, reads and confirms messages.
    ///
    /// - Throws: `MosquittoError` when the connection has ended.
    package mutating func loop() throws(MosquittoError) {
        try check("mosquitto_loop", mosquitto_loop(count.handle, 100, 1))
    }
}
