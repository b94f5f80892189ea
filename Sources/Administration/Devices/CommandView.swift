import Domain
import JSON
import Wire

/// Commands in the interface's form.
enum CommandView {
    /// Returns a row (`Command`) with secrets masked.
    static func row(_ command: Command, product: Product?) -> JSONObject {
        [
            "cid": .integer(command.cid), "kind": .string(command.kind.rawValue),
            "mode": .string(command.mode.rawValue), "state": .string(command.state.rawValue),
            "data": .object(ProductRules.masked(command.data, product: product)),
            "actor": EventCodec.encode(command.actor, for: nil),
            "appId": command.app.map { .string($0.text) },
            "createdAt": Shown.moment(command.createdAt),
            "expiresAt": Shown.moment(command.expiresAt),
            "doneAt": command.doneAt.map(Shown.moment), "steps": steps(command),
            "code": command.code.map { .integer($0) },
            "error": command.refusal.map { .string($0.rawValue) },
            "result": command.result.map { .object(ProductRules.masked($0, product: product)) },
            "isLate": .bool(command.isLate),
            "trace": command.trace.map { .string($0.text) },
        ]
    }

    /// Returns the states that a command has passed through.
    static func steps(_ command: Command) -> JSONValue {
        .array(
            command.steps.map { step in
                .object([
                    "state": .string(step.state.rawValue), "at": Shown.moment(step.at),
                    "by": .string(step.cause.rawValue),
                ])
            }
        )
    }
}
