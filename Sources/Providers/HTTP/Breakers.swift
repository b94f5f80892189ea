import Synchronization

/// The breakers of several outside parties, each stored under a key that the caller chooses.
final class Breakers: Sendable {
    private let limits: Breaker.Limits
    private let breakers = Mutex<[String: Breaker]>([:])

    /// If there are this many breakers, idle breakers are forgotten before a new breaker is added.
    private static let breakersMax = 1_000

    init(_ limits: Breaker.Limits) { self.limits = limits }

    /// Decides whether a call may begin.
    ///
    /// After each admitted call, the caller must call `leave`.
    func enter(_ key: String) -> Breaker.Admission {
        breakers.withLock { breakers in
            if breakers.count >= Self.breakersMax, breakers[key] == nil {
                breakers = breakers.filter { !$0.value.isIdle }
            }
            return breakers[key, default: Breaker(limits)].enter(at: .now)
        }
    }

    /// Records the end of a call to a party.
    func leave(_ key: String, _ outcome: Breaker.Outcome, isProbe: Bool) {
        breakers.withLock { $0[key]?.leave(outcome, isProbe: isProbe, at: .now) }
    }
}
