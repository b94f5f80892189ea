package import JSON
package import Problems

/// The finding of one check of `doctor`.
package struct Finding: Sendable {
    /// The state; a check that could not be made is never a pass.
    package enum State: String, Sendable {
        case pass, warn, fail, skip
    }

    /// The code that `lamplighter explain` knows.
    package let code: ProblemCode
    /// The subject of the check, in words.
    package let title: FindingText
    /// The state.
    package let state: State
    /// The path, address or name that was looked at.
    package let subject: String
    /// The evidence.
    package let evidence: FindingText
    /// The cure; empty where none is needed.
    package let cure: FindingText
    /// The command for the cure.
    package let command: String?
    /// The duration of the check.
    package var milliseconds: Int64 = 0

    /// The finding as a row of `doctor --json`.
    package var json: JSONValue {
        .object([
            "code": .string(code.rawValue), "title": .string(title.description),
            "state": .string(state.rawValue), "subject": .string(subject),
            "evidence": .string(evidence.description), "cure": .string(cure.description),
            "command": command.map { .string($0) }, "ms": .integer(milliseconds),
        ])
    }

    /// The same for the console, with the texts' words and values apart (`says`).
    package var jsonWithWords: JSONValue {
        var row = json.objectValue ?? [:]
        row["says"] = [
            "title": .object(title.json), "evidence": .object(evidence.json),
            "cure": .object(cure.json),
        ]
        return .object(row)
    }
}

/// A check of `doctor`: what all its findings have in common.
struct Check {
    private let code: ProblemCode
    private let title: FindingText

    /// A check of a code, with its title in words.
    init(_ code: ProblemCode, _ title: FindingText) {
        self.code = code
        self.title = title
    }

    /// Returns what was found about a subject; the cure and its command where one is needed.
    func callAsFunction(
        _ state: Finding.State,
        _ subject: String,
        evidence: FindingText,
        cure: FindingText = "",
        command: String? = nil
    ) -> Finding {
        Finding(
            code: code,
            title: title,
            state: state,
            subject: subject,
            evidence: evidence,
            cure: cure,
            command: command
        )
    }
}
