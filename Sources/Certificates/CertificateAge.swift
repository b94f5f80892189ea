package import Domain

/// How close a certificate is to its expiry, which determines the warnings to operators.
///
/// Some certificates are valid for only weeks, and are renewed often. For these, the limits are fractions of the
/// validity.
package enum CertificateAge: Sendable, Equatable {
    /// The certificate isn't valid yet: this machine's or the signer's clock is wrong.
    case early
    /// More than 30 days, or more than a third of the validity, are left.
    case fine
    /// At most 30 days and at most a third of the validity are left.
    case soon
    /// At most 7 days and at most a tenth of the validity are left.
    case urgent
    /// The certificate has expired: clients refuse the connection.
    case ended

    private static let soonSeconds: Int64 = 30 * 86_400
    private static let urgentSeconds: Int64 = 7 * 86_400

    /// Determines how close a certificate is to its expiry at a moment.
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
