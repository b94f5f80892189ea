import CMosquitto
import Glibc

extension Connection {
    /// Whether a message may be read.
    ///
    /// False while acknowledgements are being written, since the message's own would leave with them; and while many
    /// permitted ones wait for others, since under a steady load they would wait forever.
    var mayRead: Bool {
        acknowledgementsHeld == 0
            ? !mosquitto_want_write(handle)
            : acknowledgementsPermitted < Self.permittedMax
    }

    /// The number of permitted acknowledgements at which no message is read until they have left.
    private static let permittedMax = 1000

    /// Reads until the socket is empty or a limit is reached: no poll between packets, since a read without data shows
    /// the end.
    func drain(upTo limit: Int, linger: Duration) throws(MosquittoError) {
        let deadline = ContinuousClock.now + linger
        var reads = 0
        while intake.deliveries.count < limit, intake.bytes.count < Intake.bytesMax {
            guard try readPackets() else { return }
            reads += 1
            if reads % 16 == 0, ContinuousClock.now >= deadline { return }
        }
    }

    /// Reads one packet (`mosquitto_loop_read`), or as many as are unconfirmed.
    ///
    /// - Returns: False if the socket had nothing more. A packet can leave EAGAIN behind as well, from the library's
    ///   wake-up pair, which is never emptied; so a packet that brought data returns true.
    func readPackets() throws(MosquittoError) -> Bool {
        let before = intake.deliveries.count &+ intake.confirmed.count
        errno = 0
        let result = mosquitto_loop_read(handle, 1)
        let isDry = errno == EAGAIN
        try checkConnection("mosquitto_loop_read", result)
        hasUnread = !isDry || intake.deliveries.count &+ intake.confirmed.count != before
        return hasUnread
    }

    /// Reads until `condition` holds; for the answers to CONNECT, SUBSCRIBE and UNSUBSCRIBE.
    ///
    /// With `leavesMessages` it also ends if the next packet is a message, and leaves that unread; on a TLS connection,
    /// where a packet can't be seen without reading it, it ends at once.
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
            // Not for writability: during a TLS handshake that would spin.
            let isPatient = !mosquitto_want_write(handle)
            wait(for: POLLIN, milliseconds: isPatient ? min(left, 1000) : 10)
        }
    }

    /// Whether the next packet is a PUBLISH; always false on a TLS connection.
    private var isMessageNext: Bool {
        var header: UInt8 = 0
        let count = recv(mosquitto_socket(handle), &header, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count == 1 && header & 0xF0 == 0x30
    }

    // MARK: poll(2)

    private static let ended = Int16(POLLERR | POLLHUP | POLLNVAL)

    /// Returns the entry for `poll`, which asks for readability if `isReading`, and for writability if there is output.
    func pollEntry(isReading: Bool) -> pollfd {
        let events = (isReading ? Int16(POLLIN) : 0) | (hasOutput ? Int16(POLLOUT) : 0)
        return pollfd(fd: mosquitto_socket(handle), events: events, revents: 0)
    }

    var isReadable: Bool { events & (Int16(POLLIN) | Self.ended) != 0 }
    var isWritable: Bool { events & (Int16(POLLOUT) | Self.ended) != 0 }
    var hasEnded: Bool { events & Self.ended != 0 }

    /// Waits for an event of this connection; returns whether it occurred.
    @discardableResult
    func wait(for event: Int32, milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: mosquitto_socket(handle), events: Int16(event), revents: 0)
        return Glibc.poll(&entry, 1, milliseconds) > 0
    }
}
