import JSON

/// An encoder of answers about codes and tickets (`schemas/methods/account.schema.json`).
package enum CodeCodec {
    /// Writes the answer to `account/sendCode`: the code's life and the pause after it, in seconds.
    package static func sent(requestID: String, token: String, lifeSeconds: Int64, pauseSeconds: Int64) -> Answer {
        [
            "expiresIn": .integer(lifeSeconds), "retryAfter": .integer(pauseSeconds), "codeToken": .string(token),
            "requestId": .string(requestID),
        ]
    }

    /// Writes the answer to `account/checkCode`.
    package static func checked(isValid: Bool) -> Answer { ["valid": .bool(isValid)] }

    /// Writes the answer to `account/verifyOperation`: a ticket that is valid for some seconds.
    package static func ticket(_ ticket: String, seconds: Int64) -> Answer {
        ["ticket": .string(ticket), "expiresIn": .integer(seconds)]
    }
}
