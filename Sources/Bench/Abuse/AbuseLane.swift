import JSON

/// One kind of request of honest clients beside an attack, and the times of its answers.
struct AbuseLane: Sendable {
    /// The kind of request.
    enum Kind: String, Sendable, CaseIterable {
        /// `account/whoami` of a user.
        case whoami
        /// `device/control`, until its outcome is published.
        case control
        /// A report with an id.
        case report
        /// `account/login` with a password.
        case login

        /// Requests a second, over all clients.
        var rate: Double {
            switch self {
            case .whoami: 30
            case .control: 10
            case .report: 40
            case .login: 1
            }
        }
    }

    /// Milliseconds of each answer, while it is timed.
    var delays: [Double] = []
    /// Requests without an answer at the end.
    var unanswered = 0
    var refused = 0
    var firstRefusal: String?

    /// Milliseconds that 99 of 100 answers took at most.
    var p99: Double { BenchGoal.percentile99(delays) }

    var json: JSONValue {
        .object(
            JSONObject([
                ("answered", .integer(Int64(delays.count))),
                ("p50", .double(BenchGoal.median(delays))), ("p99", .double(p99)),
                ("max", .double(delays.max() ?? 0)),
                ("unanswered", .integer(Int64(unanswered))),
                ("refused", .integer(Int64(refused))),
                ("firstRefusal", firstRefusal.map { .string($0) }),
            ])
        )
    }
}
