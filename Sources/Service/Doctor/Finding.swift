package import JSON
package import Problems
import Storage

/// The finding of one check of `doctor`.
package struct Finding: Sendable {
    /// The state of a finding, which is `skip` if the check could not be made.
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
    /// What the operator can do about the finding, or empty if nothing is needed.
    package private(set) var cure: FindingText = ""
    /// The command that does what `cure` says, or nil if no command does.
    package private(set) var command: String?
    /// The duration of the check, in milliseconds.
    package var milliseconds: Int64 = 0

    /// Returns the finding with a cure and its command, or the unchanged finding if the check has passed.
    func cured(by cure: FindingText, _ command: String? = nil) -> Finding {
        guard state != .pass else { return self }
        var finding = self
        (finding.cure, finding.command) = (cure, command)
        return finding
    }

    /// The finding as a row of `doctor --json`.
    package var json: JSONValue {
        JSONObject(showing: [
            "code": code.rawValue, "title": title.description, "state": state.rawValue, "subject": subject,
            "evidence": evidence.description, "cure": cure.description, "command": command, "ms": milliseconds,
        ]).shown
    }

    /// The finding as JSON for the console.
    ///
    /// The member `says` contains each text with its words and its inserted values as separate members, so that the
    /// console can translate the words.
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
    init(_ code: ProblemCode, _ title: FindingText) { (self.code, self.title) = (code, title) }

    /// Returns the finding of a check that could not be made.
    func skipped(_ subject: String, because error: any Error) -> Finding {
        let why = (error as? Problem)?.message ?? "\(error)"
        return self(.skip, subject, found: FindingText(verbatim: why))
    }

    /// Makes the check's finding about a subject.
    func callAsFunction(_ state: Finding.State, _ subject: String, found evidence: FindingText) -> Finding {
        Finding(code: code, title: title, state: state, subject: subject, evidence: evidence)
    }
}
