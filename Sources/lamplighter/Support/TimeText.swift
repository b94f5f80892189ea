import Domain
import Foundation

/// Times as text.
enum TimeText {
    /// Returns a time in the form `2026-11-21 10:15:00Z`, or a dash for nil.
    static func of(_ moment: Instant?) -> String {
        guard let moment else { return "-" }
        let date = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
        return date.formatted(.iso8601).replacing("T", with: " ")
    }
}
