import Files
import Glibc
package import JSON
import Load
import Service

/// A hostile client in a process of its own: `bench hostile`, for `bench abuse` and `bench overload`.
///
/// One thread, raw sockets, packets made beforehand. Where it is refused or cut off it reconnects at once,
/// under another identity where its deed makes up identities.
package final class Hostile {
    private let orders: HostileOrders
    private let plan: HostilePlan
    private let counter: SharedCounter?
    private var connections: [HostileConnection?]
    /// When a connection that ended may come again.
    private var comeAt: [Int64]
    private var tally = HostileTally()
    private var number = Int.random(in: 0..<1_000_000_000)
    private var polls: [pollfd] = []
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// A pause before it comes again, in nanoseconds: refusals alone are cheaply had.
    private static let pause: Int64 = 10_000_000
    private static let crowd = 100
    /// In microseconds.
    private static let breath: UInt32 = 500
    /// After so long without an answer it takes those it waits for as lost.
    private static let patience: Int64 = 1_000_000_000

    /// Reads the orders from a file.
    ///
    /// - Throws: `LoadError`.
    package init(path: String) throws {
        let json = TextFile.readBytes(path).flatMap { try? JSONValue.parse($0) }
        orders = try HostileOrders(json)
        plan = HostilePlan(orders)
        counter = orders.counter.isEmpty ? nil : try SharedCounter(path: orders.counter)
        connections = Array(repeating: nil, count: orders.connections)
        comeAt = Array(repeating: 0, count: orders.connections)
    }

    deinit { scratch.deallocate() }

    /// Does its deed for as long as the orders say.
    ///
    /// - Returns: What it did, for its parent.
    package func run() -> JSONValue {
        FileLimit.raise()
        let end = LoadClock.nanoseconds + Int64(orders.seconds * 1e9)
        while LoadClock.nanoseconds < end {
            if orders.deed == .burn { burn() } else { turn() }
        }
        tally.processorSeconds = Self.processorSeconds()
        return tally.json
    }

    /// Keeps the processor busy for its share of ten milliseconds.
    private func burn() {
        let begin = LoadClock.nanoseconds
        let busy = Int64(orders.share * 1e7)
        while LoadClock.nanoseconds - begin < busy {}
        if busy < 10_000_000 { usleep(UInt32((10_000_000 - busy) / 1000)) }
    }

    // MARK: Connections

    private func turn() {
        let now = LoadClock.nanoseconds
        polls.removeAll(keepingCapacity: true)
        for place in connections.indices {
            if connections[place] == nil, now >= comeAt[place] { come(place, now) }
            guard let connection = connections[place] else { continue }
            if plan.isReturning, connection.sent > 0, !connection.isWriting {
                leave(place)
                continue
            }
            fill(connection, at: now)
            let events = POLLIN | (connection.isWriting ? POLLOUT : 0)
            polls.append(pollfd(fd: connection.descriptor, events: Int16(events), revents: 0))
        }
        guard poll(&polls, nfds_t(polls.count), 2) > 0 else { return }
        defer { breathe() }
        var index = 0
        for place in connections.indices {
            guard let connection = connections[place], index < polls.count,
                polls[index].fd == connection.descriptor
            else { continue }
            if polls[index].revents != 0, !serve(connection, polls[index].revents) { leave(place) }
            index += 1
        }
        counter?.value = tally.answered
    }

    /// With many connections, waits until there is something to do on many: they stand for as many machines, whose
    /// own work is not to be this one's.
    private func breathe() {
        if connections.count >= Self.crowd { usleep(Self.breath) }
    }

    private func come(_ place: Int, _ now: Int64) {
        number += 1
        comeAt[place] = now + Self.pause
        guard let connection = try? HostileConnection(plan.login(place, number), port: orders.port)
        else { return }
        tally.connects += 1
        connections[place] = connection
    }

    private func leave(_ place: Int) {
        connections[place] = nil
        comeAt[place] = LoadClock.nanoseconds + (plan.isBrief ? 0 : Self.pause)
    }

    /// - Returns: False when the connection is over.
    private func serve(_ connection: HostileConnection, _ events: Int16) -> Bool {
        if events & ~Int16(POLLOUT) != 0 {
            var isOver = false
            let stands = connection.read(with: scratch) { header, body in
                if !take(connection, header, body: body) { isOver = true }
            }
            if isOver { return false }
            if !stands {
                tally.closed += 1
                return false
            }
        }
        guard let written = connection.flush() else {
            tally.closed += 1
            return false
        }
        tally.bytes += written
        return true
    }

    // MARK: Messages

    /// Gives the connection as much to write as its windows and its rate allow, once the last is out.
    private func fill(_ connection: HostileConnection, at now: Int64) {
        guard connection.isIn, !connection.isWriting, connection.chunk != nil else { return }
        if now - connection.heardAt > Self.patience {
            connection.answered = connection.sent
            connection.confirmed = connection.sent
        }
        var count = min(
            plan.answerWindow - (connection.sent - connection.answered),
            plan.confirmWindow - (connection.sent - connection.confirmed)
        )
        if orders.rate > 0 {
            let due = Int(Double(now - connection.since) / 1e9 * orders.rate)
            count = min(count, due - connection.sent)
        }
        send(min(count, connection.chunk?.count ?? 0), on: connection)
    }

    private func send(_ count: Int, on connection: HostileConnection) {
        guard count > 0, var chunk = connection.chunk.take() else { return }
        chunk.number(from: number, count: count)
        number += count
        connection.write(chunk.bytes[..<(count * chunk.packetBytes)])
        connection.chunk = consume chunk
        connection.sent += count
        tally.sent += count
        if plan.isBrief { connection.chunk = nil }
    }

    /// - Returns: False when the connection has done its deed, or is turned away.
    private func take(
        _ connection: HostileConnection,
        _ header: UInt8,
        body: ArraySlice<UInt8>
    ) -> Bool {
        connection.heardAt = LoadClock.nanoseconds
        switch header & 0xF0 {
        case 0x20: return enter(connection, code: body.dropFirst().first ?? 255)
        case 0x30: hear(connection, header, body: body)
        case 0x40, 0x50:
            connection.confirmed += 1
            let isTaken = body.count < 3 || body[body.startIndex + 2] < 0x80
            if isTaken { tally.confirmed += 1 } else { tally.refused += 1 }
            if !isTaken { connection.answered += 1 }
            // PUBREC asks for PUBREL.
            if header & 0xF0 == 0x50, isTaken { connection.write([0x62, 2] + body.prefix(2)) }
            return !plan.isBrief
        case 0xE0: tally.reason = Int(body.first ?? 0)
        case 0x90: tally.refused += body.dropFirst(3).count { $0 >= 0x80 }
        default: break
        }
        return true
    }

    private func enter(_ connection: HostileConnection, code: UInt8) -> Bool {
        guard code == 0 else {
            tally.turnedAway += 1
            tally.reason = Int(code)
            return false
        }
        connection.isIn = true
        connection.since = LoadClock.nanoseconds
        connection.chunk = plan.chunk(connection.login)
        let filters = plan.filters(connection.login)
        if !filters.isEmpty {
            connection.write(HostilePackets(version: connection.login.version).subscribe(filters))
        }
        connection.write(plan.once)
        return !plan.isBrief || connection.chunk != nil
    }

    private func hear(_ connection: HostileConnection, _ header: UInt8, body: ArraySlice<UInt8>) {
        tally.answered += 1
        connection.answered += 1
        guard header & 0x06 != 0, body.count > 2 else { return }
        let topic = Int(body[body.startIndex]) << 8 | Int(body[body.startIndex + 1])
        let place = body.startIndex + 2 + topic
        guard place + 2 <= body.endIndex else { return }
        connection.write([0x40, 2] + body[place..<(place + 2)])
    }

    private static func processorSeconds() -> Double {
        var usage = rusage()
        // RUSAGE_SELF, which has another type here than the function wants.
        getrusage(0, &usage)
        let seconds = { (time: timeval) in Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
