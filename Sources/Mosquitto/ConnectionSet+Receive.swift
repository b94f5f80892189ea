import CMosquitto
import Glibc

extension ConnectionSet {
    /// Receives the next messages, and the broker's receipts for published ones.
    ///
    /// Works like `MosquittoClient.receive`; with a `limit` of 0 no message is read. Sends
    /// keep-alives and continues the output that `flush()` left.
    /// - Throws: `MosquittoError`, of any connection.
    package mutating func receive(
        upTo limit: Int,
        linger: Duration,
        wait: Duration,
        into intake: inout Intake
    ) throws(MosquittoError) {
        intake.removeAll()
        try tick()
        try look(upTo: limit, linger: linger, wait: wait)
        swap(&receiver.callbacks.intake, &intake)
        for outlet in outlets where !outlet.client.callbacks.intake.confirmed.isEmpty {
            for receipt in outlet.client.callbacks.intake.confirmed {
                outlet.confirm(receipt) { intake.append($0) }
            }
            outlet.client.callbacks.intake.removeAll()
        }
    }

    private mutating func tick() throws(MosquittoError) {
        for outlet in outlets { try outlet.client.tick() }
        try receiver.tick()
    }

    /// Waits for something to read, and reads it; writes meanwhile.
    private mutating func look(
        upTo limit: Int,
        linger: Duration,
        wait: Duration
    ) throws(MosquittoError) {
        let end = ContinuousClock.now + wait
        while true {
            let left = end.milliseconds(since: .now)
            let isReading = limit > 0 && receiver.mayRead
            let events = poll(isReading: isReading, milliseconds: min(left, 1000))
            if events.isLost { throw MosquittoError(.connectionLost, function: "poll") }
            try write(events)
            var hasRead = try readReceipts(events)
            if isReading, events.isReadable(0) {
                try receiver.drain(upTo: limit, linger: linger)
                hasRead = hasRead || !receiver.callbacks.intake.isEmpty
            }
            if hasRead || events.isWoken || left == 0 { return }
            try tick()
        }
    }

    private mutating func readReceipts(_ events: Events) throws(MosquittoError) -> Bool {
        var hasRead = false
        for (index, outlet) in outlets.enumerated() where events.isReadable(index + 1) {
            while try outlet.client.readPackets() {}
            hasRead = hasRead || !outlet.client.callbacks.intake.isEmpty
        }
        return hasRead
    }

    private mutating func write(_ events: Events) throws(MosquittoError) {
        for (index, outlet) in outlets.enumerated() where events.isWritable(index + 1) {
            try outlet.client.writeSome()
        }
        if events.isWritable(0) { try receiver.writeSome() }
    }

    // MARK: poll(2)

    /// The events of the connections; the receiver is the first.
    private struct Events {
        var readable: UInt64 = 0
        var writable: UInt64 = 0
        var isWoken = false
        /// Whether the receiver's connection has ended while nothing is read from it.
        var isLost = false

        func isReadable(_ index: Int) -> Bool { readable >> UInt64(index) & 1 == 1 }
        func isWritable(_ index: Int) -> Bool { writable >> UInt64(index) & 1 == 1 }
    }

    private func poll(isReading: Bool, milliseconds: Int32) -> Events {
        let ended = Int16(POLLERR | POLLHUP | POLLNVAL)
        let count = outlets.count + 1
        return withUnsafeTemporaryAllocation(of: pollfd.self, capacity: count + 1) { entries in
            entries[0] = Self.entry(of: receiver, isReading: isReading)
            for index in 1..<count {
                entries[index] = Self.entry(of: outlets[index - 1].client, isReading: true)
            }
            entries[count] = pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)
            var events = Events()
            guard Glibc.poll(entries.baseAddress, nfds_t(count + 1), milliseconds) > 0 else {
                return events
            }
            for index in 0..<count {
                let got = entries[index].revents
                if got & (Int16(POLLIN) | ended) != 0 { events.readable |= 1 << UInt64(index) }
                if got & (Int16(POLLOUT) | ended) != 0 { events.writable |= 1 << UInt64(index) }
            }
            events.isLost = !isReading && entries[0].revents & ended != 0
            events.isWoken = entries[count].revents != 0
            if events.isWoken { waker.reset() }
            return events
        }
    }

    private static func entry(
        of client: borrowing MosquittoClient,
        isReading: Bool
    ) -> pollfd {
        let events = (isReading ? Int16(POLLIN) : 0) | (client.hasOutput ? Int16(POLLOUT) : 0)
        return pollfd(fd: mosquitto_socket(client.handle), events: events, revents: 0)
    }
}
