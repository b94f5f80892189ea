import CMosquitto
import Glibc

extension MosquittoClient {
    /// Subscribes to all filters with one SUBSCRIBE: `mosquitto_subscribe_multiple`.
    ///
    /// Call it after each `connect()`, even with a resumed session, and never between `receive` and `flush()`. It waits
    /// for the answer, unless messages of a resumed session arrive first: the next `subscribe` would send their
    /// acknowledgements, so they stay unread for `receive`, and so does the answer after them. With TLS it does not
    /// wait, since the next packet can't be seen without reading it.
    /// - Throws: `MosquittoError`; `.subscriptionRefused` with a refused filter's reason code, here or from the
    ///   `receive` that reads the answer.
    package mutating func subscribe(
        _ filters: [String],
        options: SubscribeOptions = SubscribeOptions()
    ) throws(MosquittoError) {
        let (count, quality) = (Int32(filters.count), Int32(options.quality.rawValue))
        try request("subscribe", filters) { handle, mid, filters in
            mosquitto_subscribe_multiple(
                handle,
                mid,
                count,
                filters,
                quality,
                options.bits,
                nil
            )
        }
    }

    /// Ends subscriptions with one UNSUBSCRIBE: `mosquitto_unsubscribe_multiple`; waits as `subscribe` does.
    ///
    /// Don't call it before a restart: the broker queues messages meanwhile only for a subscription.
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
