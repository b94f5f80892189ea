import Domain
import Mosquitto
import Storage
import Wire

/// The publisher of a lane's outbox, which tracks the broker's confirmations.
///
/// Each receiver's messages are published over one connection, in the order of the rows. Receivers take turns. After
/// the broker has confirmed a row and all earlier rows, the next transaction deletes the row. Rows left by a crash or a
/// lost connection are read from the store again. Their messages are published before newer messages to the same
/// receivers.
///
/// A message to very many receivers is published to one group after another. Only messages on other topics are
/// published in between.
struct Publisher {
    private struct PacketID: Hashable {
        var outlet: Int
        var mid: Int32
    }

    private struct Packet {
        var row: Int64
        var size: Int
        var isFanOut: Bool
    }

    /// The lane's name.
    private let worker: String
    private let limits: Limits
    private let parties: Parties
    /// The queue of waiting messages for each connection.
    private var outlets: [OutletQueue]
    /// The waiting messages of fan-outs, and later messages on the same topics.
    private var fanOut: FanOutQueue
    /// The row, size and kind of each unconfirmed packet.
    private var packets: [PacketID: Packet] = [:]
    /// The number of unconfirmed messages of fan-outs.
    private var fanOutOpen = 0
    private var rows: OpenRows
    private var leftovers = Leftovers()
    /// Whether the store may contain rows that are not in memory.
    private var mayHaveStored = true
    /// Whether the last read of the store may have left some rows unread.
    private var hasMoreStored = false
    /// The number of messages that wait for an outlet, not counting fan-outs.
    private var waiting = 0
    /// The bytes of the messages that wait or that the broker has not confirmed.
    private(set) var bytes = 0
    private var leftOut = 0

    init(worker: String, limits: Limits, confirmedRows: [Int64], topics: Topics = Topics()) {
        self.worker = worker
        self.limits = limits
        parties = Parties(topics)
        outlets = Array(repeating: OutletQueue(limits), count: max(1, limits.outlets))
        fanOut = FanOutQueue(limits)
        rows = OpenRows(confirmedRows: confirmedRows)
    }

    // MARK: The publisher's backlog

    /// The number of messages that are unpublished or unconfirmed.
    var backlog: Int { waiting + fanOut.count + packets.count }
    /// The number of messages that the broker has not confirmed.
    var unconfirmed: Int { packets.count }
    /// The time at which the oldest unfinished row of the outbox was added.
    var oldest: ContinuousClock.Instant? { rows.oldest }
    /// The rows that may be deleted, because the broker has confirmed them and all older rows.
    var confirmedRows: [Int64] { rows.confirmedRows }
    /// Whether confirmed rows are waiting for deletion.
    var hasConfirmedRows: Bool { !rows.confirmedRows.isEmpty }
    /// How many confirmed rows wait for deletion: none, some or many.
    var confirmedRowsState: PollState.ConfirmedRows {
        let count = rows.confirmedRows.count
        return count == 0 ? .none : count < limits.confirmedRowsMax ? .some : .many
    }
    /// Whether rows of the store must be read.
    var needsStore: Bool { mayHaveStored && !isFull }
    /// Whether the backlog is too large for the worker to receive new messages.
    var isBehind: Bool { isFull || hasMoreStored }

    private var isFull: Bool {
        rows.count >= limits.outboxRows || bytes >= limits.outboxBytes
            || waiting + packets.count >= limits.backlogMax
            || fanOut.count >= 4 * limits.backlogMax
    }

    /// Returns how many outdated statuses were left out since the last call.
    mutating func takeLeftOut() -> Int { exchange(&leftOut, with: 0) }

    /// Returns the milliseconds until fan-outs continue, or nil if no fan-out can be published next.
    func pause(at now: Instant) -> Int64? { hasRoomForFanOut ? fanOut.pause(at: now) : nil }

    private var hasRoomForFanOut: Bool {
        // Messages that wait for an outlet may be older than fan-outs on the same topics. Therefore, the messages that
        // wait for an outlet are published first.
        waiting == 0 && packets.count < Int(limits.sendMaximum) && fanOutOpen < fanOut.window
    }

    /// Makes the publisher look in the outbox for rows of other processes or workers.
    mutating func expectStoredRows() { mayHaveStored = true }

    // MARK: In the transaction

    /// Finds the messages that a previous run left in the outbox, and determines which of them are obsolete.
    ///
    /// This method is called once, before the first turn.
    mutating func findLeftovers(in tx: Transaction) throws {
        leftovers = try Leftovers(of: worker, in: tx)
        hasMoreStored = leftovers.rows > limits.outboxPage
    }

    /// Deletes the confirmed rows, or leaves them to the next transaction if this transaction fails.
    func deleteConfirmed(in tx: Transaction) throws { try tx.outbox.deleteConfirmed(rows.confirmedRows) }

    /// Forgets the confirmed rows, whose deletion has been committed.
    mutating func forgetConfirmedRows() { rows.forgetConfirmed() }

    /// Returns the store's rows that are not in memory.
    func stored(in tx: Transaction) throws -> [OutboxTable.Entry] {
        guard needsStore else { return [] }
        return try tx.outbox.entries(by: worker, limit: limits.outboxPage + rows.knownCount, besides: rows.isKnown)
    }

    // MARK: After the commit

    /// Adds to the queue the messages of rows that were read from the store.
    mutating func enqueue(stored entries: [OutboxTable.Entry]) {
        // If the queue is full, `stored` did not read the store, so `mayHaveStored` stays true.
        guard needsStore else { return }
        for entry in entries { append(leftovers.validMessages(of: entry), of: entry.id) }
        hasMoreStored = entries.count >= limits.outboxPage
        mayHaveStored = hasMoreStored
        leftOut += leftovers.takeLeftOut()
        if !hasMoreStored { leftovers = Leftovers() }
    }

    /// Adds the messages of a newly committed row to the queue, unless older rows may still be unread in the store.
    ///
    /// If older rows may be unread, nothing is added here. The new row is later read from the store, after the older
    /// rows.
    mutating func enqueue(_ messages: [OutboundMessage], row: Int64) {
        guard !mayHaveStored else { return }
        append(messages, of: row)
    }

    /// Adds messages without an outbox row, which are lost if the connection is lost.
    mutating func enqueue(readings messages: [OutboundMessage]) {
        for message in messages {
            let pending = PendingMessage(row: OpenRows.none, message: message, sharesPayload: false)
            bytes += pending.size
            append(pending)
        }
    }

    private mutating func append(_ messages: [OutboundMessage], of row: Int64) {
        rows.add(row, messages: messages.count)
        var start = 0
        while start < messages.count {
            var end = start + 1
            while end < messages.count, messages[end].payload == messages[start].payload { end += 1 }
            let isFanOut = end - start > limits.fanOutMin
            for index in start..<end {
                let message = messages[index]
                let pending = PendingMessage(row: row, message: message, sharesPayload: index > start)
                bytes += pending.size
                if isFanOut || fanOut.mustFollow(message) { fanOut.append(pending) } else { append(pending) }
            }
            start = end
        }
    }

    private mutating func append(_ pending: PendingMessage) {
        let party = parties.party(of: pending.message.topic)
        waiting += 1
        outlets[outlet(of: party)].append(pending, of: party)
    }

    private func outlet(of party: Parties.Party) -> Int { Int((party.key >> 32) % UInt64(outlets.count)) }

    /// Publishes waiting messages until too many are unconfirmed, and returns how many messages were published.
    ///
    /// Expired messages, and invalid messages that the library refuses, count as confirmed.
    mutating func publish<Connection: BrokerConnection & ~Copyable>(
        to connection: inout Connection,
        at now: Instant
    ) throws -> Int {
        var published = 0
        let window = max(1, Int(limits.sendMaximum) / outlets.count)
        for outlet in outlets.indices {
            while outlets[outlet].open < window, let (pending, isVoid) = outlets[outlet].popFirst() {
                waiting -= 1
                if isVoid {
                    leftOut += 1
                    finish(pending)
                } else {
                    published += try publish(pending, over: outlet, to: &connection, at: now)
                }
            }
        }
        while hasRoomForFanOut, let pending = fanOut.popFirst(at: now) {
            let outlet = outlet(of: parties.party(of: pending.message.topic))
            published += try publish(pending, over: outlet, isFanOut: true, to: &connection, at: now)
        }
        return published
    }

    private mutating func publish<Connection: BrokerConnection & ~Copyable>(
        _ pending: PendingMessage,
        over outlet: Int,
        isFanOut: Bool = false,
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
                over: outlet,
                quality: .atLeastOnce,
                expirySeconds: left.map { UInt32(clamping: $0) }
            )
            let packet = Packet(row: pending.row, size: pending.size, isFanOut: isFanOut)
            packets[PacketID(outlet: outlet, mid: mid)] = packet
            outlets[outlet].open += 1
            if isFanOut { fanOutOpen += 1 }
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

    /// Processes the broker's confirmations.
    mutating func confirm(_ confirmations: [PublishReceipt]) {
        for confirmation in confirmations {
            // The receiving connection also sends messages, but these have no row in the outbox.
            guard let outlet = confirmation.outlet ?? (limits.outlets == 0 ? 0 : nil) else { continue }
            let id = PacketID(outlet: outlet, mid: confirmation.mid)
            guard let packet = packets.removeValue(forKey: id) else { continue }
            outlets[outlet].open -= 1
            if packet.isFanOut { fanOutOpen -= 1 }
            bytes -= packet.size
            rows.confirm(packet.row)
        }
    }
}

extension MosquittoError {
    /// Whether the message, and not the connection, caused the error.
    var concernsMessageOnly: Bool { [.invalid, .malformedUTF8, .payloadSize, .oversizePacket].contains(code) }
}
