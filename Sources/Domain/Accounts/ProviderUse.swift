/// The last success and the last failure of a provider for an app.
package struct ProviderUse: Sendable, Equatable {
    /// The last success.
    package var succeededAt: Instant?
    /// The last failure.
    package var failedAt: Instant?
    /// The reason for that failure, without secrets.
    package var failure: String?

    /// The pause before the same outcome is recorded again, in seconds: all users share one row.
    static let noteSeconds: Int64 = 60

    /// Makes a use.
    package init(succeededAt: Instant? = nil, failedAt: Instant? = nil, failure: String? = nil) {
        self.succeededAt = succeededAt
        self.failedAt = failedAt
        self.failure = failure
    }

    /// Returns whether to record an outcome: a changed one, or the same after `noteSeconds`.
    package func isNews(isFailure: Bool, at now: Instant) -> Bool {
        let (same, other) = isFailure ? (failedAt, succeededAt) : (succeededAt, failedAt)
        guard let same else { return true }
        if let other, other >= same { return true }
        return same.seconds(until: now) >= Self.noteSeconds
    }
}
