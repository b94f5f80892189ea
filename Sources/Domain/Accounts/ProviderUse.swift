/// The times of a provider's last success and last failure for an app.
package struct ProviderUse: Sendable, Equatable {
    /// The time of the last success.
    package var succeededAt: Instant?
    /// The time of the last failure.
    package var failedAt: Instant?
    /// The reason for the last failure, without secrets.
    package var failure: String?

    /// The interval after which the same outcome is recorded again, in seconds.
    ///
    /// All users of an app share one row. Without this pause, each login would write the row.
    static let noteSeconds: Int64 = 60

    /// Makes a record of a provider's use.
    package init(succeededAt: Instant? = nil, failedAt: Instant? = nil, failure: String? = nil) {
        (self.succeededAt, self.failedAt, self.failure) = (succeededAt, failedAt, failure)
    }

    /// Returns whether an outcome must be recorded.
    ///
    /// This is the case if the outcome differs from the last one, or if the last record is at least `noteSeconds` old.
    package func isNews(isFailure: Bool, at now: Instant) -> Bool {
        let (same, other) = isFailure ? (failedAt, succeededAt) : (succeededAt, failedAt)
        guard let same else { return true }
        if let other, other >= same { return true }
        return same.seconds(until: now) >= Self.noteSeconds
    }
}
