/// An error that users read: the fault and its place, why it matters, and its cures.
///
/// Its texts hold no secrets: they go to the terminal, to logs and into `--json`.
package struct Problem: Error, Sendable, Equatable {
    /// A cure, as a command to type and a note on its effect.
    package struct Cure: Sendable, Equatable {
        /// The command to type, or the thing to do.
        package let command: String
        /// Its effect; may be empty.
        package let title: String

        /// Makes a cure.
        package init(_ command: String, _ title: String = "") {
            self.command = command
            self.title = title
        }
    }

    /// The stable code that `lamplighter explain` knows.
    package let code: ProblemCode
    /// One clear sentence: what is wrong, and where.
    package let message: String
    /// The place alone: a path, an address, `file:line`.
    package let place: String?
    /// Why it matters or how it came about.
    package let why: String
    /// The cures, the best first.
    package let cures: [Cure]

    /// Makes a problem.
    package init(_ code: ProblemCode, _ message: String, at place: String? = nil, why: String, cures: [Cure] = []) {
        self.code = code
        self.message = message
        self.place = place
        self.why = why
        self.cures = cures
    }
}

extension Problem {
    /// Makes the problem of a command line that can't be parsed.
    ///
    /// `message` is the parser's description of the fault; `help` is the parser's whole text, with the command's usage
    /// and the way to its help.
    package static func usage(_ message: String, help: String) -> Problem {
        let lines = help.split(separator: "\n").map { $0.drop { $0 == " " } }
        let usage = lines.firstIndex { $0.hasPrefix("Usage: ") }.map { start in
            lines[start...].prefix { !$0.hasPrefix("See '") }.joined(separator: "\n")
        }
        let page = lines.last { $0.hasPrefix("See '") }?.split(separator: "'")
        let command = page.flatMap { $0.count > 1 ? String($0[1]) : nil }
        return Problem(
            .usage,
            message.split(separator: "\n").first.map(String.init) ?? "the command is incomplete",
            why: usage ?? "the command's arguments are invalid",
            cures: [.init(command ?? "lamplighter --help", "lists all arguments")]
        )
    }
}
