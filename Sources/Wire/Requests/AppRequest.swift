package import Domain
package import JSON

/// A request from an app (reference: requests#envelope).
///
/// The type is a class, so that no fields are copied when one function passes a request to another.
package final class AppRequest: Sendable {
    /// The app, from the topic.
    package let app: AppID
    /// The terminal, from the topic.
    package let terminal: TerminalID
    /// The service, such as `device`.
    package let service: String
    /// The method, such as `bind`.
    package let method: String
    /// The request's id: a repeat with the same id has no further effect.
    package let id: MessageID
    /// The session's token or an API key; nil if absent.
    package let token: String?
    /// The user to whom the token should belong.
    package let uid: String?
    /// The method's parameters.
    package let params: JSONObject
    /// The destination of the answer.
    package let reply: ReplyAddress
    /// The terminal's source address, or nil if the address is unknown or exempt from limits.
    package let sourceAddress: String?
    /// The length of the payload, in bytes.
    package let bytes: Int
    /// The arrival time; nil if unknown.
    package let arrivedAt: ContinuousClock.Instant?
    /// The trace id of the request: the sender's, or a new one.
    package let trace: TraceID

    /// Parses a request's payload, and makes a trace id if the sender gave none.
    package init(
        _ payload: ArraySlice<UInt8>,
        app: AppID,
        terminal: TerminalID,
        service: String,
        method: String,
        reply: ReplyAddress,
        sourceAddress: String? = nil,
        arrivedAt: ContinuousClock.Instant? = nil,
        trace: TraceID? = nil
    ) throws(WireError) {
        (id, token, uid, params) = try Payload.read(Payload.object(payload)) { (fields) throws(Rejection) in
            (
                try fields.requiredID("id", as: MessageID.self), try fields.text("token", length: 0...256),
                try fields.text("uid", length: 0...64), try fields.object("params") ?? [:]
            )
        }
        self.app = app
        self.terminal = terminal
        self.service = service
        self.method = method
        self.reply = reply
        self.sourceAddress = sourceAddress
        bytes = payload.count
        self.arrivedAt = arrivedAt
        self.trace = trace ?? .make()
    }

    /// The service and the method, such as `device/bind`.
    package var name: String { "\(service)/\(method)" }
    /// A reader of the parameters' fields.
    package var fields: Fields { Fields(params, path: "params.") }

    /// The bytes that all repeats of a request share: method, token, user and sorted parameters.
    package var content: [UInt8] {
        JSONValue.array([.string(name), .string(token ?? ""), .string(uid ?? ""), Self.sorted(.object(params))])
            .encoded()
    }

    private static func sorted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object):
            .object(
                JSONObject(
                    members: object.members.filter { $0.value != .null }
                        .map { .init(key: $0.key, value: sorted($0.value)) }
                        .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                )
            )
        case .array(let elements): .array(elements.map(sorted))
        default: value
        }
    }
}

/// The destination of an answer.
package struct ReplyAddress: Sendable, Equatable {
    /// The topic.
    package var topic: String
    /// The MQTT 5 correlation data of the request, which the answer returns.
    package var correlation: [UInt8]?
    /// The `traceparent` of the request, if any, which the answer returns.
    package var traceparent: String?

    /// Makes an address.
    package init(topic: String, correlation: [UInt8]?, traceparent: String? = nil) {
        self.topic = topic
        self.correlation = correlation
        self.traceparent = traceparent
    }

    /// Returns the answer as a message to this address.
    package func message(_ payload: [UInt8]) -> OutboundMessage {
        OutboundMessage(topic, payload, correlation: correlation, traceparent: traceparent)
    }
}
