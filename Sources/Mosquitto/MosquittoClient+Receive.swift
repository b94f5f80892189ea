import CMosquitto
import Glibc

extension MosquittoClient {
    /// Receives the next batch; its acknowledgements are held until `flush()`.
    ///
    /// Waits up to `wait` for a first packet, or until the waker wakes, then reads until nothing
    /// more has arrived, `limit` deliveries were read or `linger` has passed. It does not wait for
    /// a second message. The batch may exceed `limit` by as many packets as are `unconfirmed`,
    /// since the library then reads several at once; the firm limit is the receive maximum. Sends
    /// keep-alives: call it at least once a second.
    /// - Throws: `MosquittoError`; drop the messages read so far, since the broker delivers them
    ///   again.
    package mutating func receive(
        upTo limit: Int,
        linger: Duration,
        wait: Duration,
        into intake: inout Intake
    ) throws(MosquittoError) {
        intake.removeAll()
        try tick()
        try drain(upTo: limit, linger: linger)
        if callbacks.intake.isEmpty, try waitForPacket(wait) {
            try drain(upTo: limit, linger: linger)
        }
        swap(&callbacks.intake, &intake)
    }

    /// Reads until the socket is empty or a limit is reached: no poll between packets, since a read
    /// without data shows the end.
    mutating func drain(upTo limit: Int, linger: Duration) throws(MosquittoError) {
        let deadline = ContinuousClock.now + linger
        var reads = 0
        while callbacks.intake.deliveries.count < limit,
            callbacks.intake.bytes.count < Intake.bytesMax
        {
            guard try readPackets() else { return }
            reads += 1
            if reads % 16 == 0, ContinuousClock.now >= deadline { return }
        }
    }

    /// Reads one packet (`mosquitto_loop_read`), or as many as are unconfirmed.
    ///
    /// - Returns: False if the socket had nothing more. A packet can leave EAGAIN behind as well,
    ///   from the library's wake-up pair, which is never emptied; so a packet that brought data
    ///   returns true.
    mutating func readPackets() throws(MosquittoError) -> Bool {
        let before = callbacks.intake.deliveries.count &+ callbacks.intake.confirmed.count
        errno = 0
        let result = mosquitto_loop_read(handle, 1)
        let isDry = errno == EAGAIN
        try checkConnection("mosquitto_loop_read", result)
        let after = callbacks.intake.deliveries.count &+ callbacks.intake.confirmed.count
        return after != before || !isDry
    }

    /// Waits until the socket is readable, the waker wakes or the time is over.
    ///
    /// Meanwhile it writes output that needs no commit: keep-alives, and messages that waited for
    /// the send window.
    private mutating func waitForPacket(_ wait: Duration) throws(MosquittoError) -> Bool {
        let end = ContinuousClock.now + wait
        while true {
            if callbacks.acknowledgementsHeld == 0, mosquitto_want_write(handle) { try write() }
            let left = end.milliseconds(since: .now)
            let event = poll(
                writable: mosquitto_want_write(handle),
                milliseconds: min(left, 1000)
            )
            if event.isReadable { return true }
            if event.isWoken || left == 0 { return false }
            try tick()
        }
    }

    /// Reads until `condition` holds; for the answers to CONNECT, SUBSCRIBE and UNSUBSCRIBE.
    ///
    /// With `leavesMessages` it also ends if the next packet is a message, and leaves that unread;
    /// on a TLS connection, where a packet can't be seen without reading it, it ends at once.
    mutating func awaitAnswer(
        within limit: Duration,
        _ function: String,
        leavesMessages: Bool = false,
        _ condition: (Callbacks) -> Bool
    ) throws(MosquittoError) {
        let deadline = ContinuousClock.now + limit
        while !condition(callbacks) {
            if callbacks.acknowledgementsHeld == 0, mosquitto_want_write(handle) { try write() }
            if leavesMessages, options.tls != nil || isMessageNext { return }
            guard try !readPackets(), !condition(callbacks) else { continue }
            let left = deadline.milliseconds(since: .now)
            guard left > 0 else { throw MosquittoError(.timeout, function: function) }
            // Not for writability: during a TLS handshake that would spin.
            let isPatient = !mosquitto_want_write(handle)
            _ = poll(writable: false, milliseconds: isPatient ? min(left, 1000) : 10)
        }
    }

    /// Whether the next packet is a PUBLISH; always false on a TLS connection.
    private var isMessageNext: Bool {
        var header: UInt8 = 0
        let count = recv(mosquitto_socket(handle), &header, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count == 1 && header & 0xF0 == 0x30
    }

    /// Sends a PINGREQ if one is due, and notices a broker that no longer answers:
    /// `mosquitto_loop_misc`.
    mutating func tick() throws(MosquittoError) {
        let now = ContinuousClock.now
        guard now >= nextMisc else { return }
        nextMisc = now + .milliseconds(500)
        try checkConnection("mosquitto_loop_misc", mosquitto_loop_misc(handle))
    }

    /// Works like `check`, but prefers the reason with which the broker ended the connection.
    func checkConnection(_ function: StaticString, _ result: Int32) throws(MosquittoError) {
        let systemError = errno
        if result == MOSQ_ERR_SUCCESS.rawValue, callbacks.disconnectReason == nil,
            callbacks.refusedFilter == nil
        {
            return
        }
        if let refused = callbacks.refusedFilter {
            throw MosquittoError(
                .subscriptionRefused,
                function: "subscribe",
                reasonCode: refused
            )
        }
        if let reason = callbacks.disconnectReason {
            throw MosquittoError(.disconnected, function: "\(function)", reasonCode: reason)
        }
        if let answer = callbacks.connected, answer.reasonCode != 0 {
            throw MosquittoError(
                .connectionRefused,
                function: "connect",
                reasonCode: answer.reasonCode
            )
        }
        errno = systemError
        try check(function, result)
    }

    func poll(
        writable: Bool,
        milliseconds: Int32
    ) -> (isReadable: Bool, isWritable: Bool, isWoken: Bool) {
        let events = Int16(POLLIN) | (writable ? Int16(POLLOUT) : 0)
        let ended = Int16(POLLERR | POLLHUP | POLLNVAL)
        return withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 2) { entries in
            entries[0] = pollfd(fd: mosquitto_socket(handle), events: events, revents: 0)
            entries[1] = pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(entries.baseAddress, 2, milliseconds) > 0 else {
                return (false, false, false)
            }
            let isWoken = entries[1].revents != 0
            if isWoken { waker.reset() }
            let got = entries[0].revents
            return (
                got & (Int16(POLLIN) | ended) != 0, got & (Int16(POLLOUT) | ended) != 0, isWoken
            )
        }
    }
}
