import DequeModule
import Domain
import Mosquitto

/// A queue in which senders take turns, and each sender's messages stay in order.
///
/// In each turn, a sender's next message is handled. A message larger than 2 KiB needs one turn for each 2 KiB.
/// Requests that read a lot of data come last. While other messages are waiting, these requests make up at most a tenth
/// of a batch. Messages must be acknowledged in order of arrival. So the queue counts how many messages are done
/// without a gap, beginning with the oldest message.
struct TurnQueue {
    private struct Waiting {
        /// The message's index in the order of arrival, or nil if it was held and already acknowledged.
        var order: Int?
        var message: Inbound
        var size: Int
        var party: UInt64 = 0
        var isLongReading = false
    }

    private enum State { case waiting, taken, done }

    private let parties: Parties
    /// The service's own messages, which are handled first.
    private var words = Deque<Waiting>()
    private var senders = FairLine<UInt64, Waiting>(turnBytes: 2_048)
    /// The registrations, each of which waits until all earlier messages have been taken from the queue.
    ///
    /// A registration can end a device's bindings, but the device's earlier reports still belong to the old owners.
    private var registrations = Deque<Waiting>()
    /// The states of all messages, beginning with the oldest unfinished message.
    ///
    /// If `isHeld` is true, the broker keeps the message until the message is acknowledged.
    private var states = Deque<(state: State, isHeld: Bool)>()
    /// The index of the first message in `states`, counted in the order of arrival.
    private var base = 0
    /// The index of the first message that has not yet been returned in a batch.
    private var firstWaiting = 0
    private var taken: [Int] = []
    /// The number of messages to acknowledge for the last batch if that batch bypassed the queue, otherwise 0.
    private var passing = 0
    /// The arrival time of each intake, and the index that follows the index of the intake's last message.
    private var arrivals = Deque<(end: Int, at: ContinuousClock.Instant)>()
    /// The bytes of the waiting messages, not counting requests that read a lot of data.
    private var orderedBytes = 0
    /// The requests of terminals that have exceeded their answer budget.
    private(set) var held: HeldRequests
    private var readings: LongReadings

    /// Makes a queue that, if `budget` isn't nil, holds back the requests of terminals that have exceeded it.
    init(_ parties: Parties, budget: AnswerBudget? = nil, _ limits: Limits = Limits()) {
        self.parties = parties
        held = HeldRequests(budget, limits)
        readings = LongReadings(limits)
    }

    /// The number of messages that wait for their turn, not counting held requests.
    var count: Int { orderedCount + readings.count }
    private var orderedCount: Int { words.count + senders.count + registrations.count }
    /// The bytes of the messages that wait for their turn, not counting held requests.
    var bytes: Int { orderedBytes + readings.bytes }

    /// Returns whether more messages may be received.
    func hasRoom(_ limits: Limits) -> Bool { count < limits.intakeMax && bytes < limits.intakeBytes }

    /// Whether all received messages are done.
    var isIdle: Bool { states.isEmpty }

    /// The arrival time of the oldest unfinished message, if any.
    var oldest: ContinuousClock.Instant? { arrivals.first?.at }

    /// Adds an intake's messages, and returns the next batch.
    ///
    /// `finishBatch()` must be called after the batch's commit.
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

    /// Releases held requests whose terminals have budget again, and puts these requests back into the queue.
    private mutating func goOn(at now: ContinuousClock.Instant) {
        for (message, party) in held.release(at: now) {
            let (size, isLong) = (message.size, parties.isLongReading(message.topic))
            let waiting = Waiting(message: message, size: size, party: party, isLongReading: isLong)
            orderedBytes += waiting.size
            senders.append(waiting, of: party, size: waiting.size)
        }
    }

    /// Returns the requests that were refused since the last call because too many requests were waiting.
    mutating func takeRefused() -> [(message: Inbound, rejection: Rejection)] {
        held.takeRefused() + readings.takeRefused()
    }

    /// Makes all held requests return to the queue, because the worker is stopping.
    mutating func endHolding() { held.end() }

    /// Marks the last batch as done, and returns how many of the oldest messages may now be acknowledged.
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
            // The message is copied, since a slice would keep the whole batch's bytes in memory.
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

    /// Returns the index of the oldest message that is still waiting.
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

    /// Creates a message from a delivery, with slices of the intake's bytes.
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

    /// The approximate size of the message in memory, in bytes.
    var size: Int {
        topic.count + payload.count + (responseTopic?.count ?? 0) + (correlation?.count ?? 0)
            + (traceparent?.count ?? 0) + 256
    }
}
