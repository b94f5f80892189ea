package import Domain
package import JSON

/// A request that opens a stream of the event log.
package struct EventStreamRequest: Sendable {
    /// The key's secret.
    package let token: String
    private let parameters: JSONObject
    /// The id of the last entry that the client received, or nil if the client sent no id.
    ///
    /// The stream continues after this entry and ignores `after`. If the cursor of the request's subscription is later
    /// than this entry, the stream continues at the cursor.
    package let lastID: EventCursor?

    /// Describes a request.
    package init(token: String, parameters: JSONObject, lastID: EventCursor?) {
        (self.token, self.parameters, self.lastID) = (token, parameters, lastID)
    }

    /// The request's parameters, as a `Fields` value.
    package var fields: Fields { Fields(parameters) }
}

/// The next part of a stream of the event log.
package enum EventPart: Sendable {
    /// Entries in order, as JSON.
    case events([(id: String, type: String, json: [UInt8])])
    /// No entry has arrived for a while, so the stream sends the client an empty comment to test the connection.
    case silence
    /// The end, and its reason.
    case end(String)
}
