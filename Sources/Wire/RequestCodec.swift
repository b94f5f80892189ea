package import Domain
package import JSON

/// What an app asks for (PROTOCOL 3).
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
    /// Whose token it is meant to be.
    package var uid: String?
    /// The method's parameters.
    package var params: JSONObject
    /// Where the answer goes, and with what.
    package var reply: ReplyAddress
    /// The source address of the terminal's connection, told by the gate; nil where it doesn't count.
    package var sourceAddress: String?
    /// How long the request was as it came, in bytes.
    package var bytes = 0

    /// The method with its service, such as `device/bind`.
    package var name: String { "\(service)/\(method)" }
    /// The parameters as fields to be read.
    package var fields: Fields { Fields(params, path: "params.") }
}

/// Where an answer goes.
package struct ReplyAddress: Sendable, Equatable {
    /// The topic.
    package var topic: String
    /// MQTT 5 correlation data to be given back.
    package var correlation: [UInt8]?

    /// Makes an address.
    package init(topic: String, correlation: [UInt8]?) {
        self.topic = topic
        self.correlation = correlation
    }

    /// The answer as a message to this address.
    package func message(_ payload: [UInt8]) -> OutboundMessage {
        OutboundMessage(topic, payload, correlation: correlation)
    }
}

/// Reads the envelope of app requests.
package enum RequestCodec {
    /// Reads a request whose topic has been read already.
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

    /// What makes two requests of one id the same: a text over method, token, user and parameters,
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
