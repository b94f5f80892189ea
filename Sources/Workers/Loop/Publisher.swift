import Domain
import Mosquitto
import Storage
import Wire

/// Publishes what the outbox owes, in order, and knows what the broker has taken.
///
/// Messages go out in the order of the rows; a row is settled when the broker has confirmed all of
/// them, and struck out in the next transaction. What was left at a crash or a lost connection is read
/// from the store again, before anything newer goes out.
///
/// One thing that very many are told goes out a few at a time, and others pass it meanwhile; never one
/// for the same topic.
struct Publisher {
    private struct Packet {
        var row: Int64
        var isCrowd: Bool
    }

    private let worker: WorkerName
    private let limits: Limits
    /// Messages that wait for their turn.
    private var queue = PublishQueue()
    /// Messages to crowds that wait, and what must not pass them.
    private var crowd: CrowdQueue
    /// What each unconfirmed packet id belongs to.
    private var packets: [Int32: Packet] = [:]
    /// How many of the unconfirmed are of the crowds'.
    private var crowdOpen = 0
    /// How many messages of each row the broker has not confirmed yet.
    private var open: [Int64: Int] = [:]
    /// Rows of which the broker has taken everything.
    private(set) var settled: [Int64]
    /// Whether the store may hold rows that are not in the queue.
    private var mayHaveStored = true

    init(worker: WorkerName, limits: Limits, settled: [Int64]) {
        self.worker = worker
        self.settled = settled
        self.limits = limits
        crowd = CrowdQueue(limits)
    }

    /// Messages that wait, or that the broker has not confirmed.
    var backlog: Int { queue.count + crowd.count + packets.count }
    /// Whether rows are to be struck out.
    var hasSettled: Bool { !settled.isEmpty }
    /// Whether so many rows are to be struck out that it can't wait.
    var isCrowded: Bool { settled.count >= limits.settleMax }
    /// Whether something of the store's is to be read.
    var needsStore: Bool { mayHaveStored && backlog < limits.backlogMax }
    /// How long, in milliseconds, until more of what very many are told may go out; nil where there is
    /// none, or where the broker's next confirmation is waited for.
    func pause(at now: Instant) -> Int64? { hasRoomForCrowd ? crowd.pause(at: now) : nil }
    private var hasRoomForCrowd: Bool {
        packets.count < Int(limits.sendMaximum) && crowdOpen < crowd.window
    }
    /// Messages that the broker has not confirmed.
    var unconfirmed: Int { packets.count }

    /// Another process or worker may have left rows.
    mutating func lookAgain() { mayHaveStored = true }

    // MARK: In the transaction

    /// Strikes out settled rows; to be repeated when the transaction fails.
    func settle(in tx: Transaction) throws {
        try tx.outbox.settle(settled)
    }

    /// The settled rows are gone for good.
    mutating func settledRowsAreGone() { settled.removeAll(keepingCapacity: true) }

    /// Reads rows that are owed and not in the queue.
    func stored(in tx: Transaction) throws -> [OutboxTable.Entry] {
        guard needsStore else { return [] }
        return try tx.outbox.owed(
            by: worker.rawValue,
            limit: limits.outboxPage + open.count + settled.count
        )
        .filter { open[$0.id] == nil && !settled.contains($0.id) }
    }

    // MARK: After the commit

    /// Takes rows that were read from the store into the queue.
    mutating func take(stored entries: [OutboxTable.Entry]) {
        // With the queue full nobody looked, so what the store holds is as unknown as before.
        guard needsStore else { return }
        for entry in entries { enqueue(entry.messages, row: entry.id) }
        mayHaveStored = entries.count >= limits.outboxPage
    }

    /// Takes the row of the batch just committed; unless older rows still wait in the store, behind
    /// which it will be found.
    mutating func take(_ messages: [OutboundMessage], row: Int64) {
        guard !mayHaveStored else { return }
        enqueue(messages, row: row)
    }

    private mutating func enqueue(_ messages: [OutboundMessage], row: Int64) {
        guard !messages.isEmpty else { return settled.append(row) }
        open[row] = messages.count
        var start = 0
        while start < messages.count {
            var end = start + 1
            while end < messages.count, messages[end].payload == messages[start].payload {
                end += 1
            }
            let isCrowd = end - start > limits.crowdMin
            for message in messages[start..<end] {
                if isCrowd || crowd.mustFollow(message) {
                    crowd.append(.init(row: row, message: message))
                } else {
                    queue.append(.init(row: row, message: message))
                }
            }
            start = end
        }
    }

    /// Publishes as much as the window takes; returns how many messages went out.
    ///
    /// A message that the library refuses for what it is counts as taken: it would be refused for
    /// ever; and so does one whose time is over.
    mutating func publish<Connection: BrokerConnection & ~Copyable>(
        to connection: inout Connection,
        at now: Instant
    ) throws -> Int {
        var published = 0
        while packets.count < Int(limits.sendMaximum), let pending = queue.popFirst() {
            published += try publish(pending, isCrowd: false, to: &connection, at: now)
        }
        while hasRoomForCrowd, let pending = crowd.popFirst(at: now) {
            published += try publish(pending, isCrowd: true, to: &connection, at: now)
        }
        return published
    }

    private mutating func publish<Connection: BrokerConnection & ~Copyable>(
        _ pending: PublishQueue.Pending,
        isCrowd: Bool,
        to connection: inout Connection,
        at now: Instant
    ) throws -> Int {
        let left = pending.message.secondsLeft(at: now)
        guard left != 0 else {
            confirm(row: pending.row)
            return 0
        }
        do {
            let mid = try connection.publish(
                pending.message,
                quality: .atLeastOnce,
                expirySeconds: left.map { UInt32(clamping: $0) }
            )
            packets[mid] = Packet(row: pending.row, isCrowd: isCrowd)
            if isCrowd { crowdOpen += 1 }
            return 1
        } catch let error as MosquittoError where error.concernsMessageOnly {
            confirm(row: pending.row)
            return 0
        }
    }

    /// Takes the broker's confirmations.
    mutating func confirm(_ confirmations: [PublishReceipt]) {
        for confirmation in confirmations {
            guard let packet = packets.removeValue(forKey: confirmation.mid) else { continue }
            if packet.isCrowd { crowdOpen -= 1 }
            confirm(row: packet.row)
        }
    }

    private mutating func confirm(row: Int64) {
        guard let count = open[row] else { return }
        if count > 1 {
            open[row] = count - 1
        } else {
            open[row] = nil
            settled.append(row)
        }
    }
}

extension MosquittoError {
    /// Whether the message is at fault and not the connection.
    var concernsMessageOnly: Bool {
        [.invalid, .malformedUTF8, .payloadSize, .oversizePacket].contains(code)
    }
}
