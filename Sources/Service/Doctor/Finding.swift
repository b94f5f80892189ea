package import JSON
package import Problems
import Storage

/// The finding of one check of `doctor`.
package struct Finding: Sendable {
    /// The state of a finding; a check that could not be made counts as skipped, and never as passed.
    package enum State: String, Sendable {
        case pass, warn, fail, skip
    }

    /// The code by which `lamplighter explain` explains the finding.
    package let code: ProblemCode
    /// What the check verifies, in words.
    package let title: FindingText
    /// The state of the finding.
    package let state: State
    /// The path, address or name that was checked.
    package let subject: String
    /// What the check found.
    package let evidence: FindingText
    /// What the operator can do about the finding; empty if nothing is needed.
    package let cure: FindingText
    /// The command that does what `cure` says; nil if there is none.
    package let command: String?
    /// The duration of the check, in milliseconds.
    package var milliseconds: Int64 = 0

    /// The finding as a row of `doctor --json`.
    package var json: JSONValue {
        .object([
            "code": .string(code.rawValue), "title": .string(title.description), "state": .string(state.rawValue),
            "subject": .string(subject), "evidence": .string(evidence.description), "cure": .string(cure.description),
            "command": command.map { .string($0) }, "ms": .integer(milliseconds),
        ])
    }

    /// The finding as JSON for the console; its member `says` contains the words and values of each text separately.
    package var jsonWithWords: JSONValue {
        var row = json.objectValue ?? [:]
        row["says"] = ["title": .object(title.json), "evidence": .object(evidence.json), "cure": .object(cure.json)]
        return .object(row)
    }
}

/// A check of `doctor`: the code and the title that all findings of the check have.
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
