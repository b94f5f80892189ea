package import Domain
package import JSON

/// A request of an app.
///
/// The rules in words (reference: requests#envelope).
package struct AppRequest: Sendable {
    /// The app, from the topic.
    package var app: AppID
    /// The terminal, from the topic.
    package var terminal: TerminalID
    /// The service, such as `device`.
    package var service: String
    /// The method, such as `bind`.
    package var method: String
    /// The request's id, under which it takes effect once.
    package var id: MessageID
    /// The session's token, where the method needs one.
    package var token: String?
    /// The user to whom the token should belong.
    package var uid: String?
    /// The method's parameters.
    package var params: JSONObject
    /// The destination of the answer.
    package var reply: ReplyAddress
    /// The source address of the terminal's connection, as the gate states it; nil if it isn't counted.
    package var sourceAddress: String?
    /// The length of the payload, in bytes.
    package var bytes = 0
    /// When it arrived; nil where that is not known.
    package var arrivedAt: ContinuousClock.Instant?
    /// The trace that it belongs to: the sender's, or one that was made for it.
    package var trace = TraceID.make()

    /// The method with its service, such as `device/bind`.
    package var name: String { "\(service)/\(method)" }
    /// The parameters as a reader of fields.
    package var fields: Fields { Fields(params, path: "params.") }
}

/// The destination of an answer.
package struct ReplyAddress: Sendable, Equatable {
    /// The topic.
    package var topic: String
    /// The MQTT 5 correlation data of the request, to be returned.
    package var correlation: [UInt8]?
    /// The `traceparent` of the request, to be returned; nil if it has none.
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

/// Reads the envelope of app requests.
package enum RequestCodec {
    /// Reads a request whose topic is read already.
    package static func decode(
        _ bytes: ArraySlice<UInt8>,
        app: AppID,
        terminal: TerminalID,
        service: String,
        method: String,
        reply: ReplyAddress,
        sourceAddress: String? = nil
    ) throws(WireError) -> AppRequest {
        try Payload.read(Payload.object(bytes)) { (fields) throws(Rejection) in
            AppRequest(
                app: app,
                terminal: terminal,
                service: service,
                method: method,
                id: try fields.requiredID("id", as: MessageID.self),
                token: try fields.text("token", length: 0...256),
                uid: try fields.text("uid", length: 0...64),
                params: try fields.object("params") ?? [:],
                reply: reply,
                sourceAddress: sourceAddress,
                bytes: bytes.count
            )
        }
    }

    /// Returns the bytes by which two requests of one id are the same: method, token, user and parameters,
    /// in which the order of members doesn't matter.
    package static func content(of request: AppRequest) -> [UInt8] {
        JSONValue.array([
            .string(request.name), .string(request.token ?? ""), .string(request.uid ?? ""),
            sorted(.object(request.params)),
        ]).encoded()
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
