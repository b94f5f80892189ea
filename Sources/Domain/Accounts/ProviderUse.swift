/// When a provider worked last for an app, and when it did not.
package struct ProviderUse: Sendable, Equatable {
    /// The last success.
    package var succeededAt: Instant?
    /// The last failure.
    package var failedAt: Instant?
    /// What that failure was, without secrets.
    package var failure: String?

    /// How often the same outcome is noted again, in seconds: logins of many users share one row.
    static let noteSeconds: Int64 = 60

    /// Puts a use together.
    package init(succeededAt: Instant? = nil, failedAt: Instant? = nil, failure: String? = nil) {
        self.succeededAt = succeededAt
        self.failedAt = failedAt
        self.failure = failure
    }

    /// Whether an outcome is worth noting: a change at once, the same one again after a while.
    package func isNews(isFailure: Bool, at now: Instant) -> Bool {
        let (same, other) = isFailure ? (failedAt, succeededAt) : (succeededAt, failedAt)
        guard let same else { return true }
        if let other, other >= same { return true }
        return same.seconds(until: now) >= Self.noteSeconds
    }
}
