import CMosquitto
import Glibc

extension MosquittoClient {
    /// Subscribes to all filters with one SUBSCRIBE (`mosquitto_subscribe_multiple`).
    ///
    /// Call this method after each `connect()`, even if the session was resumed. Never call it between `receive` and
    /// `flush()`. The method waits for the answer, unless messages of a resumed session arrive first. If messages
    /// arrive first, the method leaves the messages and the answer for `receive` to read. If this method read the
    /// messages itself, the client would hold the messages' acknowledgements. The next `subscribe` would then throw
    /// `.acknowledgementsHeld`, because writing the SUBSCRIBE would also write these acknowledgements. With TLS the
    /// method doesn't wait, because a packet can't be examined without reading it.
    /// - Throws: `MosquittoError`. If the broker refuses a filter, the method throws `.subscriptionRefused` with the
    ///   reason code. If `receive` reads the answer, `receive` throws this error instead.
    package mutating func subscribe(
        _ filters: [String],
        options: SubscribeOptions = SubscribeOptions()
    ) throws(MosquittoError) {
        let (count, quality) = (Int32(filters.count), Int32(options.quality.rawValue))
        try request("subscribe", filters) { handle, mid, filters in
            mosquitto_subscribe_multiple(handle, mid, count, filters, quality, options.bits, nil)
        }
    }

    /// Ends subscriptions with one UNSUBSCRIBE, and waits for the answer as `subscribe` does.
    ///
    /// Don't call this method before a restart, because the broker queues messages only for existing subscriptions.
    /// - Throws: `MosquittoError`.
    package mutating func unsubscribe(_ filters: [String]) throws(MosquittoError) {
        let count = Int32(filters.count)
        try request("unsubscribe", filters) { handle, mid, filters in
            mosquitto_unsubscribe_multiple(handle, mid, count, filters, nil)
        }
    }

    private typealias Filters = UnsafePointer<UnsafeMutablePointer<CChar>?>

    private func request(
        _ name: String,
        _ filters: [String],
        by send: (OpaquePointer, UnsafeMutablePointer<Int32>, Filters) -> Int32
    ) throws(MosquittoError) {
        guard !filters.isEmpty else { return }
        guard receiver.acknowledgementsHeld == 0 else { throw MosquittoError(.acknowledgementsHeld, function: name) }
        let pointers = filters.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        var mid: Int32 = 0
        try check("mosquitto_\(name)_multiple", send(receiver.handle, &mid, pointers))
        try receiver.flush(within: receiver.options.writeTimeout)
        try receiver.awaitAnswer(name, leavesMessages: true) { $0.answered == mid }
    }
}
