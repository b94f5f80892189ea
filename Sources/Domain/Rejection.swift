/// A refusal, with everything that its receiver needs to correct the request.
package struct Rejection: Error, Equatable, Sendable {
    /// The error code for programs, as listed in `schemas/lists/error-codes.yaml`.
    package var code: ErrorCode
    /// A sentence that describes the fault and the remedy to the reader, without secrets.
    package var message: String
    /// The field at fault, as a path such as `params.data.power`.
    package var field: String?
    /// The reason in one word, for the codes that have reasons.
    package var reason: String?
    /// The requested region, if it is not served.
    package var region: String?
    /// The endpoint of the requested region, if known.
    package var endpoint: String?
    /// The number of seconds after which another try makes sense.
    package var retryAfter: Int64?
    /// The further faults of a refused document, after the fault that this refusal describes.
    ///
    /// If the request has no document, the array is empty, because such a request is refused at its first fault.
    package var others: [Rejection] = []

    /// Makes a refusal, and shortens a message or field path that is too long.
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
        (self.reason, self.retryAfter) = (reason, retryAfter)
    }

    /// Returns the refusal of a field in a request or a document.
    package static func invalid(_ field: String, _ message: String) -> Rejection {
        Rejection(.invalidRequest, message, field: field)
    }
}

extension Rejection {
    /// The maximum length of a message in code points, as in the schemas.
    package static let messageMax = 1024
    /// The maximum length of a field's path in code points, as in the schemas.
    package static let fieldMax = 256

    /// Returns a string of at most `max` code points, which ends in "…" if it was cut.
    package static func shown(_ text: String, upTo max: Int) -> String {
        guard text.utf8.count > max, text.unicodeScalars.count > max else { return text }
        return String(text.unicodeScalars.prefix(max - 1)) + "…"
    }
}
