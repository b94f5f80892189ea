/// A circuit breaker that keeps one outside party from slowing the rest: few calls at a time, none while it is down.
///
/// While closed, it admits calls. After some failures in a row it opens and refuses calls at once. After a pause it
/// admits one call, the probe: if the probe is answered the breaker closes, otherwise it stays open.
struct Breaker {
    /// The limits of a breaker.
    struct Limits: Sendable {
        /// The number of failures in a row that open it.
        var failuresMax: Int
        /// How long it stays open before a probe.
        var pause: Duration
        /// The number of calls that may run at once.
        var callsMax: Int
    }

    /// The decision about a call.
    enum Admission: Equatable {
        case call(isProbe: Bool)
        /// Refused for now; a retry makes sense after the given seconds.
        case refused(retryAfter: Int64)
    }

    /// The outcome of a call.
    enum Outcome {
        /// The other side answered, whatever it said.
        case answered
        /// The other side did not answer, or said that it can't.
        case failed
        /// We gave up for our own reason.
        case cancelled
    }

    private let limits: Limits
    private var failures = 0
    private var calls = 0
    private var openUntil: ContinuousClock.Instant?
    private var isProbing = false

    init(_ limits: Limits) { self.limits = limits }

    /// Whether no call runs and no failure must be remembered.
    var isIdle: Bool { calls == 0 && failures == 0 && openUntil == nil }

    /// Decides whether a call may begin; `leave` must follow each admitted call.
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

    /// Notes a call's end; while the breaker is open only the probe's counts.
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
