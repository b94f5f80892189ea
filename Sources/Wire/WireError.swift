package import Domain

/// The reason why a message is invalid; the same message would be invalid again if it were sent again.
package struct WireError: Error, Equatable, Sendable {
    /// A description of the fault for the sender.
    package var reason: String
    /// The field at fault.
    package var field: String?
    /// The id of the invalid message, which the answer to the message repeats, or nil if the id couldn't be read.
    package var id: MessageID?

    /// Makes an error.
    package init(_ reason: String, field: String? = nil, id: MessageID? = nil) {
        (self.reason, self.field, self.id) = (reason, field, id)
    }

    /// The error as a refusal for the sender.
    package var rejection: Rejection {
        Rejection(.invalidRequest, reason, field: field)
    }
}
