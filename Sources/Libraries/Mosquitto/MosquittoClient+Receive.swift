import CMosquitto
import Glibc

extension MosquittoClient {
    /// Receives receipts and the next messages, and holds back these messages' acknowledgements.
    ///
    /// The method first waits for a packet, the waker or the end of `wait`. The method then reads until the socket is
    /// empty, or `limit` or `linger` is reached. It doesn't wait for further packets. With a `limit` of 0, no message
    /// is read. While published messages are unconfirmed, the library reads several packets at once. The method can
    /// then exceed `limit` by up to `unconfirmed` packets. The receive maximum still applies. A batch is one packet
    /// with many deliveries, and is always read as a whole. The method also sends keep-alives, permitted
    /// acknowledgements and other output. Call it at least once a second.
    /// - Throws: `MosquittoError` if any connection fails. After an error, drop the messages that were read, because
    ///   the broker delivers them again.
    package mutating func receive(
        upTo limit: Int,
        linger: Duration,
        wait: Duration,
        into intake: inout Intake
    ) throws(MosquittoError) {
        intake.removeAll()
        let end = ContinuousClock.now + wait
        while true {
            for connection in connections { try connection.tick() }
            let left = end.milliseconds(since: .now)
            let isReading = limit > 0 && receiver.mayRead
            let isAtHand = isReading && receiver.hasUnread || !receiver.intake.isEmpty
            let isWoken = poll(isReading: isReading, milliseconds: isAtHand ? 0 : min(left, 1000))
            if !isReading, receiver.hasEnded { throw MosquittoError(.connectionLost, function: "poll") }
            for connection in connections where connection.isWritable { try connection.writeSome() }
            for outlet in outlets where outlet.isReadable { while try outlet.readPackets() {} }
            if isReading, receiver.isReadable || receiver.hasUnread { try receiver.drain(upTo: limit, linger: linger) }
            if isWoken || left == 0 || connections.contains(where: { !$0.intake.isEmpty }) { break }
        }
        swap(&receiver.intake, &intake)
        for outlet in outlets where !outlet.intake.confirmed.isEmpty { outlet.moveReceipts(to: &intake) }
    }

    /// Waits for the connections' events, and returns whether the waker woke the client.
    private func poll(isReading: Bool, milliseconds: Int32) -> Bool {
        let count = connections.count
        return withUnsafeTemporaryAllocation(of: pollfd.self, capacity: count + 1) { entries in
            for (index, connection) in connections.enumerated() {
                entries[index] = connection.pollEntry(isReading: isReading || index < outlets.count)
            }
            entries[count] = pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)
            Glibc.poll(entries.baseAddress, nfds_t(count + 1), milliseconds)
            for (index, connection) in connections.enumerated() { connection.events = entries[index].revents }
            let isWoken = entries[count].revents != 0
            if isWoken { waker.reset() }
            return isWoken
        }
    }
}
