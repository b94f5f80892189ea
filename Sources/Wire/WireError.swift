package import Domain

/// Why a message is bad: it will never become good, however often it is sent.
package struct WireError: Error, Equatable, Sendable {
    /// What is wrong, in words for the sender.
    package var reason: String
    /// The field at fault.
    package var field: String?
    /// The message's id, where it could be read, so that an error can be answered.
    package var id: MessageID?

    /// Makes an error.
    package init(_ reason: String, field: String? = nil, id: MessageID? = nil) {
        self.reason = reason
        self.field = field
        self.id = id
    }

    /// The refusal that the sender gets.
    package var rejection: Rejection {
        Rejection(.invalidRequest, reason, field: field)
    }
}
