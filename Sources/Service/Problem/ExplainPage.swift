import Credentials
package import JSON
import Problems

/// A page of `lamplighter explain` about a problem's code or a reason for refusals.
package struct ExplainPage: Sendable {
    /// The page's name, such as `LL1003` or `tooFast`.
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

    /// All pages: first a page for each problem, in the order of the codes, then a page for each reason for refusals.
    package static var all: [ExplainPage] {
        ProblemCode.allCases.map { ExplainPage($0) } + RefusalReason.allCases.map { ExplainPage($0) }
    }

    /// Finds a page by any spelling of its name, such as `LL1003`, `1003` or `toofast`.
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

    /// The page as a JSON object with the members `code`, `title` and `text`.
    ///
    /// If the page is about a reason for refusals, the object also has the members `cause` and `cure`.
    package var json: JSONValue {
        JSONObject(showing: ["code": code, "title": title, "text": text, "cause": cause, "cure": cure]).shown
    }

    /// The page's row in the list of all pages, as JSON.
    package var row: JSONValue {
        .object(["code": .string(code), "title": .string(title)])
    }
}
