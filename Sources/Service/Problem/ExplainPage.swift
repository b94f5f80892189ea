import Credentials
package import JSON
import Problems

/// One page of `lamplighter explain`: a problem's code, or a reason for a refusal.
package struct ExplainPage: Sendable {
    /// The page's name: `LL1003`, `tooFast`.
    package let code: String
    /// The page's first line.
    package let title: String
    /// The explanation.
    package let text: String
    private var refusal: (cause: String, cure: String)?

    private init(_ problem: ProblemCode) {
        (code, title, text) = (problem.rawValue, problem.page.title, problem.page.text)
    }

    private init(_ reason: RefusalReason) {
        let page = reason.page
        (code, title) = (reason.rawValue, page.title)
        text = "why   \(page.cause)\ndo    \(page.cure)"
        refusal = (page.cause, page.cure)
    }

    /// All pages: the problems by their codes, then the reasons of refusals.
    package static var all: [ExplainPage] {
        ProblemCode.allCases.map { ExplainPage($0) } + RefusalReason.allCases.map { ExplainPage($0) }
    }

    /// Finds a page by any spelling of its name: `LL1003`, `1003`, `toofast`.
    package init?(named name: String) {
        if let problem = ProblemCode(named: name) {
            self.init(problem)
        } else if let reason = RefusalReason.allCases.first(where: { $0.rawValue.lowercased() == name.lowercased() }) {
            self.init(reason)
        } else {
            return nil
        }
    }

    /// The cause of a refusal; nil for a problem.
    package var cause: String? { refusal?.cause }
    /// The cure of a refusal; nil for a problem.
    package var cure: String? { refusal?.cure }

    /// The page as JSON: `{"code", "title", "text", "cause"?, "cure"?}`, the last two for refusals.
    package var json: JSONValue {
        .object([
            "code": .string(code), "title": .string(title), "text": .string(text),
            "cause": refusal.map { .string($0.cause) },
            "cure": refusal.map { .string($0.cure) },
        ])
    }

    /// The page's row of the list, as JSON.
    package var row: JSONValue {
        .object(["code": .string(code), "title": .string(title)])
    }
}
