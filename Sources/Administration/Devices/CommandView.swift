import Domain
import JSON
import Wire

/// The JSON form of commands in the console's interface.
enum CommandView {
    /// Returns a command as a row (`Command`), with secrets masked.
    static func row(_ command: Command, product: Product?) -> JSONObject {
        JSONObject(showing: [
            "cid": command.cid, "kind": command.kind.rawValue, "mode": command.mode.rawValue,
            "state": command.state.rawValue,
            "data": ProductRules.masked(command.data, product: product),
            "actor": command.actor, "appId": command.app, "createdAt": command.createdAt,
            "expiresAt": command.expiresAt, "doneAt": command.doneAt, "steps": steps(command),
            "code": command.code, "error": command.refusal?.rawValue,
            "result": command.result.map { ProductRules.masked($0, product: product) },
            "isLate": command.isLate, "trace": command.trace?.text,
        ])
    }

    /// Returns the states that a command has passed through.
    static func steps(_ command: Command) -> JSONValue {
        command.steps.map { step in
            JSONObject(showing: ["state": step.state.rawValue, "at": step.at, "by": step.cause.rawValue])
        }.shown
    }
}
