import Domain
import Mosquitto
import Storage
import Wire

/// Publishes what the outbox owes and knows what the broker has taken.
///
/// Everything for one receiver goes out in the order of the rows and over the same connection, receivers
/// take turns, and a row is settled when the broker has confirmed all of it, and struck out in the next
/// transaction. What was left at a crash or a lost connection is read from the store again, before
/// anything newer for its receivers.
///
/// One thing that very many are told goes out a few at a time, and others pass it meanwhile; never one
/// for the same topic.
struct Publisher {
    private struct PacketID: Hashable {
        var lane: Int
        var mid: Int32
    }

    private struct Packet {
        var row: Int64
        var size: Int
        var isCrowd: Bool
    }

    private let worker: WorkerName
    private let limits: Limits
    private let parties: Parties
    /// Messages that wait for their turn, by connection.
    private var lanes: [PublishLane]
    /// Messages to crowds that wait, and what must not pass them.
    private var crowd: CrowdQueue
    /// What each unconfirmed packet belongs to.
    private var packets: [PacketID: Packet] = [:]
    /// How many of the unconfirmed are of the crowds'.
    private var crowdOpen = 0
    private var rows: OpenRows
    private var leftovers = Leftovers()
    /// Whether the store may hold rows that are not in the queue.
    private var mayHaveStored = true
    /// Whether it did at the last look.
    private var hasMoreStored = false
    /// Messages that wait in the lanes.
    private var waiting = 0
    /// Bytes of messages that wait or that the broker has not confirmed.
    private(set) var bytes = 0
    /// Statuses that were left out, since the last `takeLeftOut()`.
    private var leftOut = 0

    init(worker: WorkerName, limits: Limits, settled: [Int64], topics: Topics = Topics()) {
        self.worker = worker
        self.limits = limits
        parties = Parties(topics)
        lanes = Array(repeating: PublishLane(limits), count: max(1, limits.outlets))
        crowd = CrowdQueue(limits)
        rows = OpenRows(settled: settled)
    }

    // MARK: How much there is

    /// Messages that wait, or that the broker has not confirmed.
    var backlog: Int { waiting + crowd.count + packets.count }
    /// Messages that the broker has not confirmed.
    var unconfirmed: Int { packets.count }
    /// Rows of the outbox that are not done.
    var openRows: Int { rows.count }
    /// Since when the oldest of them is here.
    var oldest: ContinuousClock.Instant? { rows.oldest }
    /// Rows of which the broker has taken everything.
    var settled: [Int64] { rows.settled }
    /// Whether rows are to be struck out.
    var hasSettled: Bool { !rows.settled.isEmpty }
    /// Whether so many rows are to be struck out that it can't wait.
    var isCrowded: Bool { rows.settled.count >= limits.settleMax }
    /// Whether something of the store's is to be read.
    var needsStore: Bool { mayHaveStored && !isFull }
    /// Whether so much is owed that nothing new is to be taken in.
    var isBehind: Bool { isFull || hasMoreStored }

    private var isFull: Bool {
        rows.count >= limits.outboxRows || bytes >= limits.outboxBytes
            || waiting + packets.count >= limits.backlogMax
            || crowd.count >= 4 * limits.backlogMax
    }

    /// How many statuses were left out since the last time.
    mutating func takeLeftOut() -> Int {
        defer { leftOut = 0 }
        return leftOut
    }

    /// How long, in milliseconds, until more of what very many are told may go out; nil where there is
    /// none, or where the broker's next confirmation is waited for.
    func pause(at now: Instant) -> Int64? { hasRoomForCrowd ? crowd.pause(at: now) : nil }

    private var hasRoomForCrowd: Bool {
        // Behind what waits for the same topics.
        waiting == 0 && packets.count < Int(limits.sendMaximum) && crowdOpen < crowd.window
    }

    /// Another process or worker may have left rows.
    mutating func lookAgain() { mayHaveStored = true }

    // MARK: In the transaction

    /// Looks through all that a life before left, for what has lost its sense; once, at the beginning.
    mutating func lookThrough(in tx: Transaction) throws {
        leftovers = try Leftovers(of: worker, in: tx)
        hasMoreStored = leftovers.rows > limits.outboxPage
    }

    /// Strikes out settled rows; to be repeated when the transaction fails.
    func settle(in tx: Transaction) throws {
        try tx.outbox.settle(rows.settled)
    }

    /// The settled rows are gone for good.
    mutating func settledRowsAreGone() { rows.forgetSettled() }

    /// Reads rows that are owed and not in the queue.
    func stored(in tx: Transaction) throws -> [OutboxTable.Entry] {
        guard needsStore else { return [] }
        return try tx.outbox.owed(
            by: worker.rawValue,
            limit: limits.outboxPage + rows.knownCount,
            besides: rows.isKnown
        )
    }

    // MARK: After the commit

    /// Takes rows that were read from the store into the queue.
    mutating func take(stored entries: [OutboxTable.Entry]) {
        // With the queue full nobody looked, so what the store holds is as unknown as before.
        guard needsStore else { return }
        for entry in entries { enqueue(leftovers.take(entry), row: entry.id) }
        hasMoreStored = entries.count >= limits.outboxPage
        mayHaveStored = hasMoreStored
        leftOut += leftovers.takeLeftOut()
        if !hasMoreStored { leftovers = Leftovers() }
    }

    /// Takes the row of the batch just committed; unless older rows still wait in the store, behind
    /// which it will be found.
    mutating func take(_ messages: [OutboundMessage], row: Int64) {
        guard !mayHaveStored else { return }
        enqueue(messages, row: row)
    }

    private mutating func enqueue(_ messages: [OutboundMessage], row: Int64) {
        rows.begin(row, messages: messages.count)
        var start = 0
        while start < messages.count {
            var end = start + 1
            while end < messages.count, messages[end].payload == messages[start].payload {
                end += 1
            }
            let isCrowd = end - start > limits.crowdMin
            for index in start..<end {
                let message = messages[index]
                let pending = PendingMessage(
                    row: row,
                    message: message,
                    sharesPayload: index > start
                )
                bytes += pending.size
                if isCrowd || crowd.mustFollow(message) {
                    crowd.append(pending)
                } else {
                    append(pending)
                }
            }
            start = end
        }
    }

    private mutating func append(_ pending: PendingMessage) {
        let party = parties.party(of: pending.message.topic)
        waiting += 1
        lanes[lane(of: party)].append(pending, of: party)
    }

    private func lane(of party: Parties.Party) -> Int {
        Int((party.key >> 32) % UInt64(lanes.count))
    }

    /// Publishes as much as the windows take; returns how many messages went out.
    ///
    /// A message that the library refuses for what it is counts as taken: it would be refused for
    /// ever; and so does one whose time is over.
    mutating func publish<Connection: BrokerConnection & ~Copyable>(
        to connection: inout Connection,
        at now: Instant
    ) throws -> Int {
        var published = 0
        let window = max(1, Int(limits.sendMaximum) / lanes.count)
        for lane in lanes.indices {
            while lanes[lane].open < window, let (pending, isVoid) = lanes[lane].popFirst() {
                waiting -= 1
                if isVoid {
                    leftOut += 1
                    finish(pending)
                } else {
                    published += try publish(pending, over: lane, to: &connection, at: now)
                }
            }
        }
        while hasRoomForCrowd, let pending = crowd.popFirst(at: now) {
            let lane = lane(of: parties.party(of: pending.message.topic))
            published += try publish(
                pending,
                over: lane,
                isCrowd: true,
                to: &connection,
                at: now
            )
        }
        return published
    }

    private mutating func publish<Connection: BrokerConnection & ~Copyable>(
        _ pending: PendingMessage,
        over lane: Int,
        isCrowd: Bool = false,
        to connection: inout Connection,
        at now: Instant
    ) throws -> Int {
        let left = pending.message.secondsLeft(at: now)
        guard left != 0 else {
            finish(pending)
            return 0
        }
        do {
            let mid = try connection.publish(
                pending.message,
                over: lane,
                quality: .atLeastOnce,
                expirySeconds: left.map { UInt32(clamping: $0) }
            )
            let packet = Packet(row: pending.row, size: pending.size, isCrowd: isCrowd)
            packets[PacketID(lane: lane, mid: mid)] = packet
            lanes[lane].open += 1
            if isCrowd { crowdOpen += 1 }
            return 1
        } catch let error as MosquittoError where error.concernsMessageOnly {
            finish(pending)
            return 0
        }
    }

    private mutating func finish(_ pending: PendingMessage) {
        bytes -= pending.size
        rows.confirm(pending.row)
    }

    /// Takes the broker's confirmations.
    mutating func confirm(_ confirmations: [PublishReceipt]) {
        for confirmation in confirmations {
            // What goes over the connection that messages come from has no row of the outbox.
            guard let lane = confirmation.lane ?? (limits.outlets == 0 ? 0 : nil) else { continue }
            let id = PacketID(lane: lane, mid: confirmation.mid)
            guard let packet = packets.removeValue(forKey: id) else { continue }
            lanes[lane].open -= 1
            if packet.isCrowd { crowdOpen -= 1 }
            bytes -= packet.size
            rows.confirm(packet.row)
        }
    }
}

extension MosquittoError {
    /// Whether the message is at fault and not the connection.
    var concernsMessageOnly: Bool {
        [.invalid, .malformedUTF8, .payloadSize, .oversizePacket].contains(code)
    }
}
