import DequeModule
import Domain
import Mosquitto

/// A queue of received messages, in which the messages of each sender stay in order and senders take turns.
///
/// A turn is one message, or 2 KiB of a larger one. Long readings come last, and get a tenth of a batch while others
/// wait.
///
/// Acknowledgements leave in the order of arrival, so the queue counts how many of the oldest messages are done.
struct TurnQueue {
    private struct Waiting {
        /// Its place in the order of arrival; nil for a message that was held, and is acknowledged.
        var order: Int?
        var message: Inbound
        var size: Int
        var party: UInt64 = 0
        var isLongReading = false
    }

    private enum State { case waiting, taken, done }

    private let parties: Parties
    /// The service's own messages, which go first.
    private var words = Deque<Waiting>()
    private var senders = FairLine<UInt64, Waiting>(turnBytes: 2_048)
    /// Registrations, which wait for all earlier messages: an earlier report must not end up in the ownership period
    /// that a reset begins.
    private var registrations = Deque<Waiting>()
    /// The state of each message from the oldest unfinished one on, and whether its acknowledgement is held.
    private var states = Deque<(state: State, isHeld: Bool)>()
    /// The place in the order of arrival of the first of `states`.
    private var base = 0
    /// The order of the first message that was not returned yet.
    private var firstWaiting = 0
    private var taken: [Int] = []
    /// The number of messages to acknowledge of a batch that bypassed the queue.
    private var passing = 0
    /// The arrival times, each with the order after its last message.
    private var arrivals = Deque<(end: Int, at: ContinuousClock.Instant)>()
    /// The bytes of the waiting messages, without long readings.
    private var orderedBytes = 0
    /// Requests of terminals that are over their answer budget.
    private(set) var held: HeldRequests
    private var readings: LongReadings

    /// Makes a queue; with a budget, requests of terminals over it wait.
    init(_ parties: Parties, budget: AnswerBudget? = nil, _ limits: Limits = Limits()) {
        self.parties = parties
        held = HeldRequests(budget, limits)
        readings = LongReadings(limits)
    }

    /// The number of messages that wait only for their turn.
    var count: Int { orderedCount + readings.count }
    private var orderedCount: Int { words.count + senders.count + registrations.count }
    /// The bytes of the messages that wait only for their turn.
    var bytes: Int { orderedBytes + readings.bytes }

    /// Whether more messages may be received.
    func hasRoom(_ limits: Limits) -> Bool { count < limits.intakeMax && bytes < limits.intakeBytes }

    /// Whether all received messages are done.
    var isIdle: Bool { states.isEmpty }

    /// The arrival time of the oldest unfinished message; nil if there is none.
    var oldest: ContinuousClock.Instant? { arrivals.first?.at }

    /// Adds messages and returns the next batch.
    ///
    /// Call `finishBatch()` when the batch is committed, before the next call.
    mutating func next(_ intake: Intake, upTo limit: Int, at now: ContinuousClock.Instant = .now) -> [Inbound] {
        let deliveries = intake.deliveries
        let mayHold = held.isActive(at: now)
        if count == 0, states.isEmpty, !mayHold, deliveries.count <= limit {
            passing = deliveries.count { $0.quality == .atLeastOnce }
            return Inbound.all(of: intake)
        }
        append(intake)
        if mayHold { goOn(at: now) }
        var batch: [Inbound] = []
        while batch.count < limit, let next = popFirst() {
            orderedBytes -= next.size
            if let order = next.order {
                taken.append(order)
                states[order - base].state = .taken
            }
            if mayHold, next.order != nil, held.mustHold(next.party, at: now) {
                held.hold(next.message, of: next.party, at: now)
            } else if next.isLongReading {
                readings.add(next.message, of: next.party, wasHeld: next.order == nil)
            } else {
                batch.append(next.message)
            }
        }
        let places = orderedCount > 0 ? max(1, limit / 10) : limit - batch.count
        return batch + takeReadings(upTo: places, mayHold: mayHold, at: now)
    }

    private mutating func takeReadings(upTo places: Int, mayHold: Bool, at now: ContinuousClock.Instant) -> [Inbound] {
        var batch: [Inbound] = []
        while batch.count < places, let next = readings.popFirst() {
            if mayHold, !next.wasHeld, held.mustHold(next.party, at: now) {
                held.hold(next.message, of: next.party, at: now)
            } else {
                batch.append(next.message)
            }
        }
        return batch
    }

    /// Moves held requests that may go on back into the queue.
    private mutating func goOn(at now: ContinuousClock.Instant) {
        for (message, party) in held.release(at: now) {
            let waiting = Waiting(
                message: message,
                size: message.size,
                party: party,
                isLongReading: parties.isLongReading(message.topic)
            )
            orderedBytes += waiting.size
            senders.append(waiting, of: party, size: waiting.size)
        }
    }

    /// Returns the requests refused since the last call because too many wait.
    mutating func takeRefused() -> [(message: Inbound, rejection: Rejection)] {
        held.takeRefused() + readings.takeRefused()
    }

    /// Releases all held requests because the worker is stopping.
    mutating func endHolding() { held.end() }

    /// Marks the last batch as done; returns how many more of the oldest messages may be acknowledged.
    mutating func finishBatch() -> Int {
        defer { (passing, taken) = (0, []) }
        for order in taken { states[order - base].state = .done }
        var count = passing
        while let first = states.first, first.state == .done {
            _ = states.popFirst()
            base += 1
            if first.isHeld { count += 1 }
        }
        firstWaiting = max(firstWaiting, base)
        while let first = arrivals.first, first.end <= base { _ = arrivals.popFirst() }
        return count
    }

    private mutating func append(_ intake: Intake) {
        guard !intake.deliveries.isEmpty else { return }
        let now = ContinuousClock.now
        for delivery in intake.deliveries {
            // A copy: a slice of the batch's bytes would keep all of them in memory.
            let message = Inbound(delivery, in: intake.bytes, at: now).copy
            let party = parties.party(of: message.topic)
            let waiting = Waiting(
                order: base + states.count,
                message: message,
                size: message.size,
                party: party.key,
                isLongReading: parties.isLongReading(message.topic)
            )
            states.append((.waiting, delivery.quality == .atLeastOnce))
            orderedBytes += waiting.size
            switch party.kind {
            case .service, .user: words.append(waiting)
            case .registration: registrations.append(waiting)
            case .sender: senders.append(waiting, of: party.key, size: waiting.size)
            }
        }
        arrivals.append((base + states.count, now))
    }

    private mutating func popFirst() -> Waiting? {
        if let word = words.popFirst() { return word }
        if let first = registrations.first, first.order ?? 0 <= nextWaiting() { return registrations.popFirst() }
        return senders.popFirst()
    }

    /// Returns the order of the oldest message that still waits.
    private mutating func nextWaiting() -> Int {
        while firstWaiting - base < states.count, states[firstWaiting - base].state != .waiting { firstWaiting += 1 }
        return firstWaiting
    }
}

extension Inbound {
    /// Returns all messages of an intake, as slices of its bytes.
    static func all(of intake: Intake) -> [Inbound] {
        let now = ContinuousClock.now
        return intake.deliveries.map { Inbound($0, in: intake.bytes, at: now) }
    }

    /// Creates a message from a delivery of an intake, as slices of its bytes.
    fileprivate init(_ delivery: Delivery, in bytes: [UInt8], at now: ContinuousClock.Instant) {
        self.init(
            topic: bytes[delivery.topic],
            payload: bytes[delivery.payload],
            responseTopic: delivery.responseTopic.map { bytes[$0] },
            correlation: delivery.correlationData.map { bytes[$0] },
            sourceAddress: delivery.sourceAddress.map { String(decoding: bytes[$0], as: UTF8.self) },
            isCorrelationTooLong: delivery.isCorrelationTooLong,
            isRetained: delivery.isRetained,
            arrivedAt: now,
            traceparent: delivery.traceparent.map { bytes[$0] }
        )
    }

    /// A copy of the message in separate memory.
    var copy: Inbound {
        Inbound(
            topic: Array(topic)[...],
            payload: Array(payload)[...],
            responseTopic: responseTopic.map { Array($0)[...] },
            correlation: correlation.map { Array($0)[...] },
            sourceAddress: sourceAddress,
            isCorrelationTooLong: isCorrelationTooLong,
            isRetained: isRetained,
            arrivedAt: arrivedAt,
            traceparent: traceparent.map { Array($0)[...] }
        )
    }

    /// Its approximate size in memory, in bytes.
    var size: Int {
        topic.count + payload.count + (responseTopic?.count ?? 0) + (correlation?.count ?? 0)
            + (traceparent?.count ?? 0) + 256
    }
}
