package import Domain

/// How close a certificate is to its expiry, for the warnings of `doctor`, the log and the banner.
///
/// A certificate of a few weeks is renewed often, so it is judged by parts of its time.
package enum CertificateAge: Sendable, Equatable {
    /// It is not valid yet: a clock is wrong, here or where it was made.
    case early
    /// More than 30 days, or a third of its time, are left.
    case fine
    /// 30 days or fewer are left, or a third of its time if that is less: time to make a new one.
    case soon
    /// 7 days or fewer are left, or a tenth of its time if that is less.
    case urgent
    /// It has expired: clients refuse the connection.
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
                : left <= min(Self.urgentSeconds, facts.seconds / 10)
                    ? .urgent
                    : left <= min(Self.soonSeconds, facts.seconds / 3) ? .soon : .fine
    }

    /// Whether clients accept the certificate now.
    package var isValid: Bool { self != .early && self != .ended }
}
