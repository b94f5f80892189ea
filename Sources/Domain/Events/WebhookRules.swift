/// The rules of posting events to a webhook: what an answer means, and when to try again.
package enum WebhookRules {
    /// The longest try in seconds.
    package static let trySeconds: Int64 = 15
    /// The most bytes of one body.
    package static let bytesMax = 262_144
    /// The number of refusals after which a single event becomes a dead letter.
    package static let refusalsMax = 3
    /// The number of dead letters in a row after which the endpoint is at fault, and not the events.
    package static let deadInRowMax = 10
    /// The longest time in seconds that a receiver's `Retry-After` is followed.
    package static let retryAfterMax: Int64 = 3_600

    /// The meaning of a try's end.
    package enum Meaning: Equatable, Sendable {
        /// It has the events.
        case taken
        /// It doesn't take this content, but perhaps other content.
        case content
        /// It wants no more events.
        case gone
        /// It may take the same content later.
        case later
    }

    /// Returns the meaning of a status; nil if nothing was answered.
    package static func meaning(of status: Int?) -> Meaning {
        switch status {
        case .some(200...299): .taken
        case 400, 413, 422: .content
        case 410: .gone
        default: .later
        }
    }

    /// Returns the pause in milliseconds before the next try: 5 s after the first failure, doubling up to 15 minutes,
    /// a fifth more or less by chance, from -1 to 1, so that receivers that fail together aren't asked together.
    package static func pause(afterFailures count: Int, retryAfter: Int64?, chance: Double) -> Int64 {
        let seconds = min(900, 5 << min(max(count - 1, 0), 8))
        let pause = Int64(Double(seconds) * 1_000 * (1 + chance / 5))
        return max(pause, min(retryAfter ?? 0, retryAfterMax) * 1_000)
    }
}

/// How far a webhook has narrowed a batch that it refused, to find the events that it doesn't take.
///
/// Kept while the service runs: after a restart, the search begins again.
package struct WebhookSearch: Equatable, Sendable {
    /// The next step after a batch whose content was refused.
    package enum Step: Equatable, Sendable {
        /// Try again with at most this number of events.
        case narrow(to: Int)
        /// Try the same event again.
        case again
        /// Give the event up and go on behind it.
        case giveUp
        /// The endpoint is at fault: try the same content later.
        case wait
    }

    /// The most events of the next batch; nil if nothing is narrowed.
    package private(set) var limit: Int?
    /// The number of times that the single event was refused.
    private var refusals = 0
    /// The number of dead letters since the last success.
    private var deadInRow = 0

    /// Begins with nothing narrowed.
    package init() {}

    /// Notes that a batch of some events was taken; the next one is twice as large again.
    package mutating func taken(_ count: Int) {
        (refusals, deadInRow) = (0, 0)
        limit = limit.map { max($0, count) * 2 }.flatMap { $0 > 100 ? nil : $0 }
    }

    /// Notes that the content of a batch was refused; returns the next step.
    package mutating func refused(_ count: Int) -> Step {
        guard count <= 1 else {
            limit = (count + 1) / 2
            return .narrow(to: (count + 1) / 2)
        }
        limit = 1
        guard deadInRow < WebhookRules.deadInRowMax else { return .wait }
        refusals += 1
        guard refusals >= WebhookRules.refusalsMax else { return .again }
        (refusals, deadInRow) = (0, deadInRow + 1)
        return .giveUp
    }
}
