package import Certificates
package import Domain
import Foundation

/// The texts about certificates.
package enum CertificateText {
    /// Returns a date and time in the form `2027-12-24T18:00:00Z`.
    package static func date(_ time: Instant) -> String {
        Date(timeIntervalSince1970: Double(time.milliseconds / 1000)).formatted(.iso8601)
    }

    /// Returns the time until `end` in days, or in hours if less than two days are left.
    private static func left(until end: Instant, at now: Instant) -> FindingText {
        let hours = (end.milliseconds - now.milliseconds) / 3_600_000
        if hours >= 48 { return "\(hours / 24) days" }
        return hours == 1 ? "1 hour" : "\(hours) hours"
    }

    /// Returns the warning about a certificate's validity, or nil if no warning is needed.
    package static func warning(_ facts: CertificateFacts, at now: Instant) -> FindingText? {
        switch CertificateAge(facts, at: now) {
        case .fine: nil
        case .early: "the certificate is valid only from \(date(facts.begin)); check the clocks"
        case .soon, .urgent: "the certificate expires in \(left(until: facts.end, at: now)), at \(date(facts.end))"
        case .ended: "the certificate expired at \(date(facts.end))"
        }
    }
}
