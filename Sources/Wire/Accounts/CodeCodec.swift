import JSON

/// An encoder of answers about codes and tickets (`schemas/methods/account.schema.json`).
package enum CodeCodec {
    /// Returns the answer to `account/sendCode`, with the code's lifetime and the pause before the next code, in
    /// seconds.
    package static func sent(requestID: String, token: String, lifeSeconds: Int64, pauseSeconds: Int64) -> Answer {
        JSONObject(showing: [
            "expiresIn": lifeSeconds, "retryAfter": pauseSeconds, "codeToken": token, "requestId": requestID,
        ])
    }

    /// Returns the answer to `account/checkCode`.
    package static func checked(isValid: Bool) -> Answer { ["valid": .bool(isValid)] }

    /// Returns the answer to `account/verifyOperation`, with a ticket and its lifetime in seconds.
    package static func ticket(_ ticket: String, seconds: Int64) -> Answer {
        ["ticket": .string(ticket), "expiresIn": .integer(seconds)]
    }
}
