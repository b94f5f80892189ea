package import Certificates
package import Domain
import Foundation

/// Certificates in words.
package enum CertificateText {
    /// Returns a day and time, `2027-12-24T18:00:00Z`.
    package static func date(_ time: Instant) -> String {
        Date(timeIntervalSince1970: Double(time.milliseconds / 1000)).formatted(.iso8601)
    }

    /// Returns what should worry about a certificate's times; nil where nothing does.
    package static func warning(_ facts: CertificateFacts, at now: Instant) -> String? {
        let days = (facts.end.milliseconds - now.milliseconds) / 86_400_000
        return switch CertificateAge(facts, at: now) {
        case .fine: nil
        case .early: "it holds from \(date(facts.begin)) only; look at the clocks"
        case .soon, .urgent:
            "it ends in \(days) \(days == 1 ? "day" : "days"), at \(date(facts.end))"
        case .ended: "it ended at \(date(facts.end))"
        }
    }
}
