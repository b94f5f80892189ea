package import Domain

/// How near a certificate's end is: what `doctor`, the log and the metrics warn by.
package enum CertificateAge: Sendable, Equatable {
    /// It does not hold yet: a clock is wrong, here or where it was made.
    case early
    /// More than 30 days are left.
    case fine
    /// 30 days or fewer are left: time to make a new one.
    case soon
    /// 7 days or fewer are left.
    case urgent
    /// It has ended: clients refuse the connection.
    case ended

    private static let soonSeconds: Int64 = 30 * 86_400
    private static let urgentSeconds: Int64 = 7 * 86_400

    /// Judges a certificate at a moment.
    package init(_ facts: CertificateFacts, at now: Instant) {
        let left = (facts.end.milliseconds - now.milliseconds) / 1000
        self =
            now >= facts.end
            ? .ended
            : now < facts.begin
                ? .early
                : left <= Self.urgentSeconds
                    ? .urgent : left <= Self.soonSeconds ? .soon : .fine
    }
}
