import Domain
package import JSON
import Problems

/// The refusal of a request; the answer contains problem details (RFC 9457).
package struct Refused: Error {
    /// The HTTP status.
    package var status: Int
    /// An error code, or the code of a `Problem`; `lamplighter explain` explains the codes of problems.
    package var code: String
    /// A sentence about what is wrong and how to correct it.
    package var detail: String
    /// The wrong member of the request, or nil if no single member is wrong.
    package var field: String?
    /// The number of seconds after which a repeated request can succeed.
    package var retryAfter: Int64?
    /// The faults of a document, if it has more than one.
    var problems: [JSONValue] = []
    /// The kind and name of the missing thing, or nil if nothing is missing.
    package var missing: (noun: String, name: String)?

    /// Creates a refusal.
    package init(_ status: Int, _ code: String, _ detail: String, field: String? = nil) {
        (self.status, self.code, self.detail, self.field) = (status, code, detail, field)
    }

    /// Creates a refusal with an error code.
    init(_ status: Int, _ code: ErrorCode, _ detail: String, field: String? = nil) {
        self.init(status, code.rawValue, detail, field: field)
    }

    /// Returns the refusal of a request for a thing that doesn't exist.
    package static func notFound(_ what: String) -> Refused {
        Refused(404, .resourceNotFound, "There is no \(what).")
    }

    /// Returns the refusal for a missing thing, with the thing's name or id.
    static func notFound(_ noun: String, _ name: some StringProtocol) -> Refused {
        let name = Rejection.shown(String(name), upTo: 64)
        var refused = notFound("\(noun) \(name)")
        refused.missing = (noun, name)
        return refused
    }

    /// Returns the refusal of a request with a wrong member.
    package static func invalid(_ field: String, _ detail: String) -> Refused {
        Refused(400, .invalidRequest, detail, field: field)
    }

    /// The refusal of a caller who has not signed in.
    package static let unauthorized =
        Refused(401, .invalidToken, "You are not signed in. Sign in, or make a link: lamplighter console")

    /// Creates the refusal for an operation's error.
    package init(_ error: any Error) {
        switch error {
        case let refused as Refused: self = refused
        case let rejection as Rejection: self.init(rejection)
        case let problem as Problem: self.init(problem)
        case is OperationThreads.IsFull:
            self.init(503, .unavailable, "Too many requests are waiting; try again.")
            retryAfter = 1
        default:
            self.init(500, .internal, "The service failed to do this; see its log, or run lamplighter doctor.")
        }
    }

    private init(_ rejection: Rejection) {
        let faults = [rejection] + rejection.others
        let detail = faults.map(\.message).joined(separator: " ")
        self.init(rejection.code.httpStatus, rejection.code, detail, field: rejection.field)
        if faults.count > 1 { problems = ProductCheck.problems(rejection) }
        retryAfter = rejection.retryAfter
    }

    private init(_ problem: Problem) {
        let status =
            switch problem.code {
            case .notFound: 404
            case .conflict: 409
            case .documentInvalid, .documentUnreadable, .settingInvalid: 400
            case .notRunning: 503
            default: 500
            }
        let cure = problem.cures.first.map { " \($0.title.isEmpty ? "Try" : $0.title): \($0.command)" }
        let detail = "\(problem.message): \(problem.why).\(cure ?? "")"
        self.init(status, problem.code.rawValue, detail, field: problem.place)
    }

    /// The problem details as JSON.
    package var json: JSONObject {
        [
            "type": "about:blank", "title": .string(Self.titles[status] ?? "Refused"),
            "status": .integer(Int64(status)), "detail": .string(detail),
            "code": .string(code), "field": field.map { .string($0) },
            "retryAfter": retryAfter.map { .integer($0) },
            "problems": problems.isEmpty ? nil : .array(problems),
        ]
    }

    private static let titles = [
        400: "The request is wrong", 401: "Not signed in", 403: "Not allowed",
        404: "Not found", 405: "No such operation", 409: "The request conflicts with existing data",
        412: "Changed meanwhile", 413: "Too large", 415: "Not JSON",
        429: "Too many tries", 500: "The service failed", 503: "Not now", 504: "No answer",
    ]
}
