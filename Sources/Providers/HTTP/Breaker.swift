/// Keeps one outside party from slowing the rest: few calls at a time, none while it is down.
///
/// Closed, calls go through. After some failures in a row it opens: calls are refused at once. After
/// a while one call, the probe, is let through; when it is answered the breaker closes, else it stays open.
struct Breaker {
    /// The numbers of a breaker.
    struct Limits: Sendable {
        /// How many failures in a row open it.
        var failuresMax: Int
        /// How long it stays open before a probe.
        var pause: Duration
        /// How many calls may be under way at once.
        var callsMax: Int
    }

    /// The decision about a call.
    enum Admission: Equatable {
        case call(isProbe: Bool)
        /// Not now; another try makes sense after so many seconds.
        case refused(retryAfter: Int64)
    }

    /// The outcome of a call.
    enum Outcome {
        /// The other side answered, whatever it said.
        case answered
        /// It did not, or said that it can't.
        case failed
        /// We gave up for a reason of our own.
        case cancelled
    }

    private let limits: Limits
    private var failures = 0
    private var calls = 0
    private var openUntil: ContinuousClock.Instant?
    private var isProbing = false

    init(_ limits: Limits) { self.limits = limits }

    /// Whether nothing is under way and nothing to be remembered.
    var isIdle: Bool { calls == 0 && failures == 0 && openUntil == nil }

    /// Asks whether a call may begin; the caller reports the end of each admitted one with `leave`.
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

    /// Takes note of a call's end; while the breaker is open only the probe's counts.
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
