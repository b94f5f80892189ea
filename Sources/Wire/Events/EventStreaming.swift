package import Domain
package import JSON

/// The opening of a stream of the event log.
package struct EventStreamRequest: Sendable {
    /// The key's secret.
    package let token: String
    /// The parameters, as `events/read` has them.
    private let parameters: JSONObject
    /// The last entry that the client received, which goes before `after` and the subscription's cursor.
    package let lastID: EventCursor?

    /// Describes a request.
    package init(token: String, parameters: JSONObject, lastID: EventCursor?) {
        (self.token, self.parameters, self.lastID) = (token, parameters, lastID)
    }

    /// The parameters for reading.
    package var fields: Fields { Fields(parameters) }
}

/// The next part of a stream of the event log.
package enum EventPart: Sendable {
    /// Entries in order, as JSON.
    case events([(id: String, type: String, json: [UInt8])])
    /// Nothing for a while, so that a comment shows whether the client is still there.
    case silence
    /// The end, and its reason.
    case end(String)
}
