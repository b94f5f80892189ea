/// The rules for webhooks: what each answer means, and when to try again.
package enum WebhookRules {
    /// The longest duration of a try, in seconds.
    package static let trySeconds: Int64 = 15
    /// The maximum number of bytes in the body of one request.
    package static let bytesMax = 262_144
    /// The number of refusals after which an event becomes a dead letter.
    ///
    /// A refusal counts only if the event was posted alone, without other events in its batch.
    package static let refusalsMax = 3
    /// The number of dead letters in a row after which the service blames the endpoint and not the events.
    package static let deadInRowMax = 10
    /// The longest `Retry-After` that the service obeys, in seconds.
    package static let retryAfterMax: Int64 = 3_600

    /// The meaning of the endpoint's answer, or of a missing answer.
    package enum Meaning: Equatable, Sendable {
        /// The endpoint has taken the events.
        case taken
        /// The endpoint refuses this content, but might take other content.
        case content
        /// The endpoint wants no more events.
        case gone
        /// The endpoint might take the same content later.
        case later
    }

    /// Returns the meaning of an HTTP status.
    ///
    /// If the endpoint didn't answer, `status` is nil.
    package static func meaning(of status: Int?) -> Meaning {
        switch status {
        case .some(200...299): .taken
        case 400, 413, 422: .content
        case 410: .gone
        default: .later
        }
    }

    /// Returns the pause before the next try, in milliseconds.
    ///
    /// The first pause is 5 seconds. Each further failure doubles the pause, up to 15 minutes. `chance`, from -1 to 1,
    /// makes the pause up to a fifth longer or shorter. Receivers that failed together thus get their next tries at
    /// different times. The pause is never shorter than `retryAfter` seconds. If `retryAfter` is more than an hour, it
    /// is treated as an hour.
    package static func pause(afterFailures count: Int, retryAfter: Int64?, chance: Double) -> Int64 {
        let seconds = min(900, 5 << min(max(count - 1, 0), 8))
        let pause = Int64(Double(seconds) * 1_000 * (1 + chance / 5))
        return max(pause, min(retryAfter ?? 0, retryAfterMax) * 1_000)
    }
}

/// A search that finds the events refused by an endpoint.
///
/// The search is kept only in memory, so it begins again after the service has restarted.
package struct WebhookSearch: Equatable, Sendable {
    /// The next step after the endpoint has refused the content of a batch.
    package enum Step: Equatable, Sendable {
        /// Try again with at most this number of events.
        case narrow(to: Int)
        /// Try the same event again.
        case again
        /// Give up on the event, and continue with the next event.
        case giveUp
        /// The endpoint is at fault, so send the same events again later.
        case wait
    }

    /// The maximum number of events in the next batch, or nil for no limit.
    package private(set) var limit: Int?
    /// The number of times that the endpoint has refused the current event in a batch without other events.
    private var refusals = 0
    /// The number of dead letters since the last success.
    private var deadInRow = 0

    /// Makes a search that doesn't limit the number of events in the first batch.
    package init() {}

    /// Records that the endpoint has taken a batch of `count` events.
    ///
    /// The next batch may then have twice as many events. Above 100 events, the search no longer limits batches.
    package mutating func taken(_ count: Int) {
        (refusals, deadInRow) = (0, 0)
        limit = limit.map { max($0, count) * 2 }.flatMap { $0 > 100 ? nil : $0 }
    }

    /// Records that the endpoint refused the content of a batch, and returns the next step.
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
