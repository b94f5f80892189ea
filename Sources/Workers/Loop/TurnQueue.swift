import Mosquitto

/// Messages that were taken in and wait for their turn: each behind those of its own sender, and none
/// behind more than one of each other's.
///
/// The broker's acknowledgements leave in the order of arrival, so the queue knows how many of the oldest
/// messages are done.
struct TurnQueue {
    private struct Waiting {
        var order: Int
        var message: Inbound
        var size: Int
    }

    private enum State { case waiting, taken, done }

    private let parties: Parties
    /// The service's own words, which go first.
    private var words = Line<Waiting>()
    private var senders = FairLine<Waiting>()
    /// Registrations wait for all that came before: a report of before must not end up in the life that a
    /// reset begins.
    private var registrations = Line<Waiting>()
    /// What became of each message, from the oldest that isn't done on, and whether it is acknowledged.
    private var states = Line<(state: State, isHeld: Bool)>()
    /// The order of the first of `states`.
    private var base = 0
    /// The first that isn't in anybody's hands yet.
    private var firstWaiting = 0
    private var taken: [Int] = []
    /// Messages of a batch that passed the queue by.
    private var passing = 0
    /// When messages came, with the order behind the last of them.
    private var arrivals = Line<(end: Int, at: ContinuousClock.Instant)>()
    /// Bytes of the messages that wait.
    private(set) var bytes = 0

    init(_ parties: Parties) { self.parties = parties }

    /// How many wait.
    var count: Int { words.count + senders.count + registrations.count }

    /// Whether everything that came is done.
    var isIdle: Bool { states.isEmpty }

    /// When the oldest message came that isn't done; nil where none waits.
    var oldest: ContinuousClock.Instant? { arrivals.first?.at }

    /// Takes messages in and gives those whose turn it is.
    ///
    /// `done()` is to be called when they are committed, before the next ones are asked for.
    mutating func next(_ intake: Intake, upTo limit: Int) -> [Inbound] {
        let deliveries = intake.deliveries
        if count == 0, states.isEmpty, deliveries.count <= limit {
            passing = deliveries.count { $0.quality == .atLeastOnce }
            return Inbound.all(of: intake)
        }
        append(intake)
        var batch: [Inbound] = []
        while batch.count < limit, let next = popFirst() {
            bytes -= next.size
            taken.append(next.order)
            states[next.order - base].state = .taken
            batch.append(next.message)
        }
        return batch
    }

    /// The messages given last are done; says how many more of the oldest may be acknowledged.
    mutating func done() -> Int {
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
        for (message, delivery) in zip(Inbound.all(of: intake), intake.deliveries) {
            // A message of its own: a place in the batch's bytes would keep all of them.
            let message = message.copy
            let waiting = Waiting(
                order: base + states.count,
                message: message,
                size: message.size
            )
            states.append((.waiting, delivery.quality == .atLeastOnce))
            bytes += waiting.size
            let party = parties.party(of: message.topic)
            switch party.kind {
            case .service, .user: words.append(waiting)
            case .registration: registrations.append(waiting)
            case .sender: senders.append(waiting, of: party.key)
            }
        }
        arrivals.append((base + states.count, .now))
    }

    private mutating func popFirst() -> Waiting? {
        if let word = words.popFirst() { return word }
        if let first = registrations.first, first.order <= nextWaiting() {
            return registrations.popFirst()
        }
        return senders.popFirst()
    }

    /// The order of the oldest message that nobody has taken.
    private mutating func nextWaiting() -> Int {
        while firstWaiting - base < states.count, states[firstWaiting - base].state != .waiting {
            firstWaiting += 1
        }
        return firstWaiting
    }
}

extension Inbound {
    /// All messages of an intake, as places in its bytes.
    static func all(of intake: Intake) -> [Inbound] {
        let bytes = intake.bytes
        return intake.deliveries.map { delivery in
            Inbound(
                topic: bytes[delivery.topic],
                payload: bytes[delivery.payload],
                responseTopic: delivery.responseTopic.map { bytes[$0] },
                correlation: delivery.correlationData.map { bytes[$0] },
                sourceAddress: delivery.sourceAddress.map {
                    String(decoding: bytes[$0], as: UTF8.self)
                },
                isCorrelationTooLong: delivery.isCorrelationTooLong,
                isRetained: delivery.isRetained
            )
        }
    }

    /// The same message in memory of its own.
    var copy: Inbound {
        Inbound(
            topic: Array(topic)[...],
            payload: Array(payload)[...],
            responseTopic: responseTopic.map { Array($0)[...] },
            correlation: correlation.map { Array($0)[...] },
            sourceAddress: sourceAddress,
            isCorrelationTooLong: isCorrelationTooLong,
            isRetained: isRetained
        )
    }

    /// Bytes that it takes in memory, about.
    var size: Int {
        topic.count + payload.count + (responseTopic?.count ?? 0) + (correlation?.count ?? 0) + 256
    }
}
