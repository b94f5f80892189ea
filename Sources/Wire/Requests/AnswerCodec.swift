package import Domain
package import JSON

/// An encoder of answers: `{"id", "ok", "result" | "error"}`.
package enum AnswerCodec {
    /// Encodes the answer to a request that was carried out.
    package static func success(_ id: MessageID?, result: Answer) -> [UInt8] {
        JSONObject([
            ("id", id.map { .string($0.text) }), ("ok", true), ("result", .object(result)),
        ]).encoded()
    }

    /// Encodes the answer to a completed request from an already encoded result.
    package static func success(_ id: MessageID?, encoded result: [UInt8]) -> [UInt8] {
        let head = JSONObject([("id", id.map { .string($0.text) }), ("ok", true)]).encoded()
        return head.dropLast() + Array(#","result":"#.utf8) + result + [UInt8(ascii: "}")]
    }

    /// The result of a request that returns nothing.
    package static let nothing: Answer = [:]

    /// Encodes the result of a request as the payload of a message.
    package static func payload(_ answer: Answer) -> [UInt8] { answer.encoded() }

    /// Encodes a row of a result as the payload of a message.
    package static func payload(row: AnswerRow) -> [UInt8] { row.encoded() }

    /// Returns the answer, without a result, to an accepted message.
    package static func accepted(_ id: MessageID) -> [UInt8] {
        JSONObject([("id", .string(id.text)), ("ok", true)]).encoded()
    }

    /// Returns the answer to a refused message.
    package static func refusal(_ id: MessageID?, _ rejection: Rejection) -> [UInt8] {
        JSONObject([("id", id.map { .string($0.text) }), ("ok", false), ("error", error(rejection))]).encoded()
    }

    /// Returns a refusal as the `error` of an answer.
    package static func error(_ rejection: Rejection) -> JSONValue {
        .object([
            "code": .string(rejection.code.rawValue), "message": .string(rejection.message),
            "field": rejection.field.map { .string($0) }, "reason": rejection.reason.map { .string($0) },
            "region": rejection.region.map { .string($0) }, "endpoint": rejection.endpoint.map { .string($0) },
            "retryAfter": rejection.retryAfter.map { .integer($0) },
        ])
    }
}
