/// A circuit breaker, which limits the calls to an outside party.
///
/// While the party is down, the breaker refuses all calls except an occasional call that tests the party.
///
/// A closed breaker admits calls. After several failures in a row, the breaker opens and refuses calls at once. After a
/// pause, the breaker admits one call, the probe. If the probe is answered, the breaker closes.
struct Breaker {
    /// The limits of a breaker.
    struct Limits: Sendable {
        /// The number of failures in a row after which the breaker opens.
        var failuresMax: Int
        /// The time for which the breaker stays open before it admits a probe.
        var pause: Duration
        /// The maximum number of calls that can run at the same time.
        var callsMax: Int
    }

    /// The decision about a call.
    enum Admission: Equatable {
        case call(isProbe: Bool)
        /// The call is refused, and can be repeated after this many seconds.
        case refused(retryAfter: Int64)
    }

    /// The outcome of a call.
    enum Outcome {
        /// The other side handled the call, perhaps with a refusal.
        case answered
        /// The other side did not answer, or answered that it can't handle the call.
        case failed
        /// The caller gave up for a reason of its own.
        case cancelled
    }

    private let limits: Limits
    private var failures = 0
    private var calls = 0
    private var openUntil: ContinuousClock.Instant?
    private var isProbing = false

    init(_ limits: Limits) { self.limits = limits }

    /// Whether the breaker can be forgotten, because it has no running calls and no failures.
    var isIdle: Bool { calls == 0 && failures == 0 && openUntil == nil }

    /// Decides whether a call may begin.
    ///
    /// After each admitted call, the caller must call `leave`.
    mutating func enter(at now: ContinuousClock.Instant) -> Admission {
        if let openUntil {
            guard now >= openUntil, !isProbing else {
                return .refused(retryAfter: max(1, (openUntil - now).components.seconds + 1))
            }
            isProbing = true
            calls += 1
            return .call(isProbe: true)
        }
        guard calls < limits.callsMax else { return .refused(retryAfter: 1) }
        calls += 1
        return .call(isProbe: false)
    }

    /// Records the end of a call.
    ///
    /// While the breaker is open, only the probe's outcome counts.
    mutating func leave(_ outcome: Outcome, isProbe: Bool, at now: ContinuousClock.Instant) {
        precondition(calls > 0, "a call ended that never began")
        calls -= 1
        if isProbe { isProbing = false }
        guard openUntil == nil || isProbe else { return }
        switch outcome {
        case .answered:
            failures = 0
            openUntil = nil
        case .failed:
            failures += 1
            if failures >= limits.failuresMax || isProbe { openUntil = now + limits.pause }
        case .cancelled: break
        }
    }
}
