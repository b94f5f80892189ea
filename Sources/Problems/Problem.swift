/// An error for users: the fault, its place, why it matters, and its cures.
///
/// Problems are printed, logged, and output as JSON (`--json`). Their strings therefore contain no secrets.
package struct Problem: Error, Sendable, Equatable {
    /// A cure, as a command to type and a note on its effect.
    package struct Cure: Sendable, Equatable {
        /// The command to type, or the thing to do.
        package let command: String
        /// The note on the cure's effect; can be empty.
        package let title: String

        /// Makes a cure.
        package init(_ command: String, _ title: String = "") { (self.command, self.title) = (command, title) }
    }

    /// The stable code, which `lamplighter explain` describes.
    package let code: ProblemCode
    /// A sentence that names the fault and its place.
    package let message: String
    /// The place of the fault: a path, an address or `file:line`.
    package let place: String?
    /// The reason why the fault matters, or the cause of the fault.
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
    /// Makes the problem for a command line that can't be parsed.
    ///
    /// `message` is the parser's description of the fault. `help` is the whole text that the parser prints. This text
    /// contains the usage of the command, and names the command that prints the help.
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
