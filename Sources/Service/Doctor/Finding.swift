package import JSON

/// The finding of one check of `doctor`.
package struct Finding: Sendable {
    /// How it stands; what could not be looked at is never a pass.
    package enum State: String, Sendable {
        case pass, warn, fail, skip
    }

    /// The code that `lamplighter explain` knows.
    package let code: ProblemCode
    /// What was looked at, in words.
    package let title: String
    /// How it stands.
    package let state: State
    /// The path, address or name that was looked at.
    package let subject: String
    /// What was seen.
    package let evidence: String
    /// What to do; empty where nothing is to be done.
    package let cure: String
    /// What to type for it.
    package let command: String?
    /// How long the look took.
    package var milliseconds: Int64 = 0

    init(
        _ code: ProblemCode,
        _ title: String,
        _ state: State,
        _ subject: String,
        _ evidence: String,
        cure: String = "",
        command: String? = nil
    ) {
        self.code = code
        self.title = title
        self.state = state
        self.subject = subject
        self.evidence = evidence
        self.cure = cure
        self.command = command
    }

    /// The finding as a row of `doctor --json`.
    package var json: JSONValue {
        .object(
            JSONObject([
                ("code", .string(code.rawValue)), ("title", .string(title)),
                ("state", .string(state.rawValue)), ("subject", .string(subject)),
                ("evidence", .string(evidence)), ("cure", .string(cure)),
                ("command", command.map { .string($0) }), ("ms", .integer(milliseconds)),
            ])
        )
    }
}
