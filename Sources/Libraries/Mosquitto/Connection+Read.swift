import CMosquitto
import Glibc

extension Connection {
    /// Whether a message may be read now.
    ///
    /// The library writes its whole output queue at once. If all acknowledgements in the queue are permitted, the value
    /// is false until the queue has been written. A message that is read earlier would add its acknowledgement to the
    /// queue, and the library would write this acknowledgement before the message's commit.
    ///
    /// If an acknowledgement in the queue isn't permitted yet, the queue can't be written. The value then stays true
    /// until `permittedMax` permitted acknowledgements are in the queue. Without this limit, each new message under a
    /// steady load would add an acknowledgement that isn't permitted yet, and the queue would never be written.
    var mayRead: Bool {
        acknowledgementsHeld == 0
            ? !mosquitto_want_write(handle)
            : acknowledgementsPermitted < Self.permittedMax
    }

    /// The connection stops reading messages when this many acknowledgements are permitted but not yet written.
    private static let permittedMax = 1000

    /// Reads until the socket is empty or a limit is reached.
    ///
    /// No `poll` is needed between packets. A read that finds no data shows that the socket is empty.
    func drain(upTo limit: Int, linger: Duration) throws(MosquittoError) {
        let deadline = ContinuousClock.now + linger
        var reads = 0
        while intake.deliveries.count < limit, intake.bytes.count < Intake.bytesMax {
            guard try readPackets() else { return }
            reads += 1
            if reads % 16 == 0, ContinuousClock.now >= deadline { return }
        }
    }

    /// Calls `mosquitto_loop_read` once.
    ///
    /// If messages are unconfirmed, the library reads at most as many packets as there are such messages. Otherwise, it
    /// reads at most one packet.
    ///
    /// - Returns: False if the socket was empty, which the library shows by setting `errno` to EAGAIN. A write to the
    ///   library's wake-up sockets can also set EAGAIN, because nothing empties these sockets. Therefore, the result is
    ///   true whenever a message or a receipt has arrived.
    func readPackets() throws(MosquittoError) -> Bool {
        let before = intake.deliveries.count &+ intake.confirmed.count
        errno = 0
        let result = mosquitto_loop_read(handle, 1)
        let isDry = errno == EAGAIN
        try checkConnection("mosquitto_loop_read", result)
        hasUnread = !isDry || intake.deliveries.count &+ intake.confirmed.count != before
        return hasUnread
    }

    /// Waits for the answer to CONNECT, SUBSCRIBE or UNSUBSCRIBE, by reading until `condition` is true.
    ///
    /// If `leavesMessages` is true, the method also returns when the next packet is a message. This message stays
    /// unread. With TLS, a packet can't be examined without reading it. Therefore, if the connection uses TLS and
    /// `leavesMessages` is true, the method returns without waiting.
    func awaitAnswer(
        _ function: String,
        leavesMessages: Bool = false,
        _ condition: (Connection) -> Bool
    ) throws(MosquittoError) {
        let deadline = ContinuousClock.now + options.connectTimeout
        while !condition(self) {
            try writeSome()
            if leavesMessages, options.tls != nil || isMessageNext { return }
            guard try !readPackets(), !condition(self) else { continue }
            let left = deadline.milliseconds(since: .now)
            guard left > 0 else { throw MosquittoError(.timeout, function: function) }
            // The poll doesn't include POLLOUT, because with POLLOUT, the loop would spin during a TLS handshake. If
            // output is waiting, the loop tries to write it again after 10 ms at most.
            let isPatient = !mosquitto_want_write(handle)
            wait(for: POLLIN, milliseconds: isPatient ? min(left, 1000) : 10)
        }
    }

    /// Whether the next packet is a PUBLISH (always false with TLS).
    private var isMessageNext: Bool {
        var header: UInt8 = 0
        let count = recv(mosquitto_socket(handle), &header, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count == 1 && header & 0xF0 == 0x30
    }

    // MARK: poll(2)

    private static let ended = Int16(POLLERR | POLLHUP | POLLNVAL)

    /// Returns an entry for `poll`, which asks for POLLOUT if there is output, and for POLLIN if `isReading` is true.
    func pollEntry(isReading: Bool) -> pollfd {
        let events = (isReading ? Int16(POLLIN) : 0) | (hasOutput ? Int16(POLLOUT) : 0)
        return pollfd(fd: mosquitto_socket(handle), events: events, revents: 0)
    }

    var isReadable: Bool { events & (Int16(POLLIN) | Self.ended) != 0 }
    var isWritable: Bool { events & (Int16(POLLOUT) | Self.ended) != 0 }
    var hasEnded: Bool { events & Self.ended != 0 }

    /// Waits for an event of this connection, and returns whether the event occurred.
    @discardableResult
    func wait(for event: Int32, milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: mosquitto_socket(handle), events: Int16(event), revents: 0)
        return Glibc.poll(&entry, 1, milliseconds) > 0
    }
}
