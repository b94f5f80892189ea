package import JSON
package import Problems
import Storage

/// The finding of one check of `doctor`.
package struct Finding: Sendable {
    /// The state; a check that could not be made is never a pass.
    package enum State: String, Sendable {
        case pass, warn, fail, skip
    }

    /// The code for `lamplighter explain`.
    package let code: ProblemCode
    /// The subject of the check, in words.
    package let title: FindingText
    /// The state.
    package let state: State
    /// The path, address or name that was checked.
    package let subject: String
    /// The evidence.
    package let evidence: FindingText
    /// The cure; empty if none is needed.
    package let cure: FindingText
    /// The command for the cure.
    package let command: String?
    /// The duration of the check.
    package var milliseconds: Int64 = 0

    /// The finding as a row of `doctor --json`.
    package var json: JSONValue {
        .object([
            "code": .string(code.rawValue), "title": .string(title.description), "state": .string(state.rawValue),
            "subject": .string(subject), "evidence": .string(evidence.description), "cure": .string(cure.description),
            "command": command.map { .string($0) }, "ms": .integer(milliseconds),
        ])
    }

    /// The finding for the console, with the words and values of each text separate (`says`).
    package var jsonWithWords: JSONValue {
        var row = json.objectValue ?? [:]
        row["says"] = ["title": .object(title.json), "evidence": .object(evidence.json), "cure": .object(cure.json)]
        return .object(row)
    }
}

/// A check of `doctor`: the code and title that all its findings share.
struct Check {
    private let code: ProblemCode
    private let title: FindingText

    /// Creates a check with its code and title.
    init(_ code: ProblemCode, _ title: FindingText) {
        self.code = code
        self.title = title
    }

    /// Returns the finding that a check could not be made.
    func skipped(_ subject: String, because error: any Error) -> Finding {
        let why = (error as? Problem)?.message ?? "\(error)"
        return self(.skip, subject, evidence: FindingText(verbatim: why))
    }

    /// Returns the finding about a subject, with a cure and its command if needed.
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
