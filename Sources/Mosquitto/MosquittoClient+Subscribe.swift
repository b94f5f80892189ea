import CMosquitto

extension MosquittoClient {
    /// Subscribes to all filters with one SUBSCRIBE: `mosquitto_subscribe_multiple`.
    ///
    /// Call it after each `connect()`, even with a resumed session, and never between `receive` and
    /// `flush()`. It waits for the answer, unless messages of a resumed session arrive first: the
    /// next `subscribe` would send their acknowledgements, so they stay unread for `receive`, and
    /// so does the answer after them. With TLS it does not wait, since the next packet can't be
    /// seen without reading it.
    /// - Throws: `MosquittoError`; `.subscriptionRefused` with a refused filter's reason code, here
    ///   or from the `receive` that reads the answer.
    package mutating func subscribe(
        _ filters: [String],
        options: SubscribeOptions = SubscribeOptions()
    ) throws(MosquittoError) {
        guard !filters.isEmpty else { return }
        var mid: Int32 = 0
        try expectNothingHeld("subscribe")
        let result = withCStrings(filters) { pointers in
            mosquitto_subscribe_multiple(
                handle,
                &mid,
                Int32(filters.count),
                pointers,
                Int32(options.quality.rawValue),
                options.bits,
                nil
            )
        }
        try check("mosquitto_subscribe_multiple", result)
        try flush()
        try awaitAnswer(within: self.options.connectTimeout, "subscribe", leavesMessages: true) {
            $0.subscribed == mid
        }
    }

    /// Ends subscriptions with one UNSUBSCRIBE: `mosquitto_unsubscribe_multiple`; waits as
    /// `subscribe` does.
    ///
    /// Don't call it before a restart: the broker queues messages meanwhile only for a
    /// subscription.
    /// - Throws: `MosquittoError`.
    package mutating func unsubscribe(_ filters: [String]) throws(MosquittoError) {
        guard !filters.isEmpty else { return }
        var mid: Int32 = 0
        try expectNothingHeld("unsubscribe")
        let result = withCStrings(filters) { pointers in
            mosquitto_unsubscribe_multiple(handle, &mid, Int32(filters.count), pointers, nil)
        }
        try check("mosquitto_unsubscribe_multiple", result)
        try flush()
        try awaitAnswer(within: options.connectTimeout, "unsubscribe", leavesMessages: true) {
            $0.unsubscribed == mid
        }
    }

    private func expectNothingHeld(_ function: String) throws(MosquittoError) {
        guard callbacks.acknowledgementsHeld == 0 else {
            throw MosquittoError(.acknowledgementsHeld, function: function)
        }
    }
}

/// Lends strings to C as an array of pointers.
private func withCStrings<R>(
    _ strings: [String],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> R
) -> R {
    // All strings are in one buffer that does not move while C reads it.
    var bytes: [CChar] = []
    var starts: [Int] = []
    for string in strings {
        starts.append(bytes.count)
        bytes.append(contentsOf: string.utf8CString)
    }
    return bytes.withUnsafeMutableBufferPointer { buffer in
        let pointers = starts.map { start in buffer.baseAddress.map { $0 + start } }
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}
