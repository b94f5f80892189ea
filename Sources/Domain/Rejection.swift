/// A refusal, with all that its receiver needs to correct the request.
package struct Rejection: Error, Equatable, Sendable {
    /// The code that programs switch on, an entry of `schemas/lists/error-codes.yaml`.
    package var code: ErrorCode
    /// One sentence to read: the fault and the remedy; never a secret.
    package var message: String
    /// The field at fault, as a path such as `params.data.power`.
    package var field: String?
    /// The reason in one word, for the codes that have reasons.
    package var reason: String?
    /// The requested region, if it is not served.
    package var region: String?
    /// The endpoint of that region, if known.
    package var endpoint: String?
    /// The number of seconds after which another try makes sense.
    package var retryAfter: Int64?
    /// Further faults; only documents are read to their end.
    package var others: [Rejection] = []

    /// Makes a refusal; texts that are too long to be shown are cut.
    package init(
        _ code: ErrorCode,
        _ message: String,
        field: String? = nil,
        reason: String? = nil,
        retryAfter: Int64? = nil
    ) {
        self.code = code
        self.message = Self.shown(message, upTo: Self.messageMax)
        self.field = field.map { Self.shown($0, upTo: Self.fieldMax) }
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// Refuses a field of a request or a document.
    package static func invalid(_ field: String, _ message: String) -> Rejection {
        Rejection(.invalidRequest, message, field: field)
    }
}

extension Rejection {
    /// The longest message, in code points, as in the schemas.
    package static let messageMax = 1024
    /// The longest path of a field, in code points, as in the schemas.
    package static let fieldMax = 256

    /// Returns a text cut to a number of code points; a cut one ends in "…".
    package static func shown(_ text: String, upTo max: Int) -> String {
        guard text.utf8.count > max, text.unicodeScalars.count > max else { return text }
        return String(text.unicodeScalars.prefix(max - 1)) + "…"
    }
}
