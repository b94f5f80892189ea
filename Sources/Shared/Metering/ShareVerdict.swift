/// The decision about a message by a limit that senders share.
package enum ShareVerdict: Sendable, Equatable {
    /// It is let through, and was counted.
    case within
    /// It is refused, and was not counted. The first refusal in a second must be reported.
    case beyond(mustTell: Bool)
}

/// The time of the last reported refusal.
package struct ReportTime: Sendable, Equatable {
    private var toldAt: Int64 = .min / 2

    /// Begins without a report.
    package init() {}

    /// Returns whether to report a refusal: once a second.
    package mutating func mustTell(at now: Int64) -> Bool {
        guard now &- toldAt >= 1_000 else { return false }
        toldAt = now
        return true
    }
}
