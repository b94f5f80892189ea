package import Domain
package import JSON

/// A request that opens a stream of the event log.
package struct EventStreamRequest: Sendable {
    /// The key's secret.
    package let token: String
    private let parameters: JSONObject
    /// The id of the last entry that the client received; it replaces `after`, and replaces the subscription's cursor
    /// if that is earlier.
    package let lastID: EventCursor?

    /// Describes a request.
    package init(token: String, parameters: JSONObject, lastID: EventCursor?) {
        (self.token, self.parameters, self.lastID) = (token, parameters, lastID)
    }

    /// The parameters in a form from which single fields can be read.
    package var fields: Fields { Fields(parameters) }
}

/// The next part of a stream of the event log.
package enum EventPart: Sendable {
    /// Entries in order, as JSON.
    case events([(id: String, type: String, json: [UInt8])])
    /// No entry has arrived for a while; the service then sends a comment to find out whether the client is gone.
    case silence
    /// The end, and its reason.
    case end(String)
}
