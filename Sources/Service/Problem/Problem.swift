/// An error that a person reads: what is wrong and where, why it matters, and what cures it.
///
/// Its texts hold no secrets: they go to the terminal, to logs and into `--json`.
package struct Problem: Error, Sendable, Equatable {
    /// A way out, as a command to type and a word on what it does.
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
    /// Ways out, the best first.
    package let cures: [Cure]

    /// Makes a problem.
    package init(
        _ code: ProblemCode,
        _ message: String,
        at place: String? = nil,
        why: String,
        cures: [Cure] = []
    ) {
        self.code = code
        self.message = message
        self.place = place
        self.why = why
        self.cures = cures
    }
}
