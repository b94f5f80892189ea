package import Domain
package import JSON

/// Writes answers: `{"id", "ok", "result" | "error"}` (PROTOCOL 3).
package enum AnswerCodec {
    /// The answer to a request that was carried out.
    package static func success(_ id: MessageID?, result: JSONObject) -> [UInt8] {
        JSONObject([
            ("id", id.map { .string($0.text) }), ("ok", true), ("result", .object(result)),
        ]).encoded()
    }

    /// The answer to a message that was taken and gives nothing back.
    package static func accepted(_ id: MessageID) -> [UInt8] {
        JSONObject([("id", .string(id.text)), ("ok", true)]).encoded()
    }

    /// The answer to a message that was refused.
    package static func refusal(_ id: MessageID?, _ rejection: Rejection) -> [UInt8] {
        JSONObject([
            ("id", id.map { .string($0.text) }), ("ok", false), ("error", error(rejection)),
        ]).encoded()
    }

    /// A refusal as it stands in an answer.
    package static func error(_ rejection: Rejection) -> JSONValue {
        .object([
            "code": .string(rejection.code.rawValue), "message": .string(rejection.message),
            "field": rejection.field.map { .string($0) },
            "reason": rejection.reason.map { .string($0) },
            "region": rejection.region.map { .string($0) },
            "endpoint": rejection.endpoint.map { .string($0) },
            "retryAfter": rejection.retryAfter.map { .integer($0) },
        ])
    }
}
