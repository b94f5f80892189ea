import Domain
import Sodium
import Storage

/// How often codes are sent (PROTOCOL 3.1): the same for addresses with and without an account.
enum CodeLimits {
    /// How long between two codes of one purpose to one address, in seconds.
    static let pauseSeconds: Int64 = 60

    private struct Limit {
        var subject: String
        var max: Int
        var seconds: Int64
    }

    /// Counts a code that is about to be sent; refuses it, uncounted, when a limit is reached.
    static func count(_ scope: CodeScope, _ place: Place, _ call: Call) throws {
        let limits = limits(scope, place, call)
        let waits = try limits.compactMap { limit in
            try call.tx.attempts.retryAfter(
                limit.subject,
                max: limit.max,
                windowSeconds: limit.seconds
            )
        }
        if let wait = waits.max() {
            throw Rejection(
                .tooManyRequests,
                "Too many codes; the last one that was sent is still good.",
                retryAfter: wait
            )
        }
        for limit in limits {
            try call.tx.attempts.add(limit.subject, windowSeconds: limit.seconds)
        }
    }

    private static func limits(_ scope: CodeScope, _ place: Place, _ call: Call) -> [Limit] {
        let app = scope.app.text
        let digest = call.tx.hash(scope.address.key, boundTo: "codes \(app) \(scope.region)")
        let address = Sodium.base64URL(digest)
        let purpose = scope.purpose.rawValue
        let bounds = call.limits
        return [
            Limit(subject: "code/pause/\(purpose)/\(address)", max: 1, seconds: pauseSeconds),
            Limit(
                subject: "code/hour/\(purpose)/\(address)",
                max: bounds.codesPerPurpose,
                seconds: 3600
            ),
            Limit(subject: "code/day/\(address)", max: bounds.codesPerAddress, seconds: 86_400),
            Limit(subject: "code/app/\(app)", max: bounds.codesPerHour, seconds: 3600),
            Limit(
                subject: "code/country/\(app)/\(place.countryCode)",
                max: bounds.codesPerCountry,
                seconds: 3600
            ),
        ]
    }
}
