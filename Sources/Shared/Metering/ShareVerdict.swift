/// The decision about a message under a limit that applies to several senders together.
package enum ShareVerdict: Sendable, Equatable {
    /// The message is let through, and was counted.
    case within
    /// The message is refused, and was not counted.
    ///
    /// If `mustTell` is true (at most once a second), the refusal must be reported.
    case beyond(mustTell: Bool)
}

/// The time of the last reported refusal.
package struct ReportTime: Sendable, Equatable {
    private var toldAt: Int64 = .min / 2

    /// Makes the initial value, which means that no refusal has been reported yet.
    package init() {}

    /// Returns whether to report a refusal (true at most once a second).
    package mutating func mustTell(at now: Int64) -> Bool {
        guard now &- toldAt >= 1_000 else { return false }
        toldAt = now
        return true
    }
}
