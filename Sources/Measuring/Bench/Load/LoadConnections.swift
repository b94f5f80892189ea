import Glibc
import Load

/// A load's connections: if any of them ends, the load fails.
///
/// All work happens in the calling thread. A connection's place is the index of its client in `members`.
final class LoadConnections {
    /// A client, and the topics that it subscribes to.
    struct Member: Sendable {
        var login: MQTTWriter.Login
        var filters: [String] = []
    }

    /// A function that handles a received message.
    ///
    /// The parameters are the receiving client's index in `members`, the message's topic and the message's payload.
    typealias Take = (Int, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void

    private let members: [Member]
    private let pool: SocketPool
    /// The number of clients that the broker has answered in the current step (connecting or subscribing).
    private var answered = 0
    private var failure: LoadError?

    /// The keep-alive time in seconds, longer than any measurement, so that clients need not send pings.
    private static let keepAliveSeconds: UInt16 = 600
    /// The maximum number of connections that await the broker's answer at the same time.
    ///
    /// With more connections, the broker's listen backlog could overflow.
    private static let openingMax = 90

    init(_ members: [Member]) {
        self.members = members
        pool = SocketPool(count: members.count)
    }

    /// Connects all clients, then subscribes each client to its topics.
    ///
    /// - Returns: The number of connections that the broker authenticated per second.
    /// - Throws: `LoadError` if a connection or a subscription fails, or if no answer arrives for ten seconds.
    @discardableResult
    func connect(port: Int, _ take: Take) throws(LoadError) -> Double {
        let address = sockaddr_in(host: "127.0.0.1", port: port)
        let stopwatch = Stopwatch()
        var watch = LoadWatch()
        var opened = 0
        answered = 0
        while answered < members.count {
            while opened < members.count, opened - answered < Self.openingMax {
                var login = members[opened].login
                login.keepAliveSeconds = Self.keepAliveSeconds
                pool.set(opened, try DeviceSocket(address: address, login: login))
                pool.flush(opened)
                opened += 1
            }
            try turn(milliseconds: 100, take)
            try watch.look(answered)
        }
        let seconds = stopwatch.seconds
        try subscribe(take)
        return Double(members.count) / seconds
    }

    private func subscribe(_ take: Take) throws(LoadError) {
        answered = 0
        var asked = 0
        for (place, member) in members.enumerated() where !member.filters.isEmpty {
            pool.sockets[place]?.subscribe(member.filters)
            pool.flush(place)
            asked += 1
        }
        var watch = LoadWatch()
        while answered < asked {
            try turn(milliseconds: 100, take)
            try watch.look(answered)
        }
    }

    /// Handles received packets, and sends the resulting answers.
    ///
    /// - Throws: `LoadError` if a connection was refused or has ended.
    func turn(milliseconds: Int32, _ take: Take) throws(LoadError) {
        pool.turn(milliseconds: milliseconds) { place, packet in
            switch packet {
            case .connectionAnswer(let code): if code == 0 { answered += 1 } else { fail(.refused(code: code)) }
            case .subscriptionAnswer(let isGranted):
                if isGranted { answered += 1 } else { fail(.failed("subscription refused")) }
            case .publish(let topic, let payload, _): take(place, topic, payload)
            case .publishAnswer, .other: break
            }
        } lost: { _, error in
            fail(error)
        }
        if let failure { throw failure }
    }

    private func fail(_ error: LoadError) { failure = failure ?? error }

    /// Returns whether a connection is open and the broker has confirmed all messages of this connection.
    func isIdle(_ place: Int) -> Bool { pool.sockets[place]?.unconfirmed == 0 }

    /// Queues a message, which is sent with `flush(_:)` or after the next received packet.
    func queue(_ place: Int, topic: [UInt8], payload: [UInt8]) {
        pool.sockets[place]?.publish(topic: topic, payload: payload)
    }

    /// Writes a connection's queued messages.
    func flush(_ place: Int) { pool.flush(place) }

    /// Disconnects all clients.
    func disconnect() { for place in members.indices { pool.end(place) } }
}
