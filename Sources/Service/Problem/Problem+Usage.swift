extension Problem {
    /// Makes the problem of a command line that can't be parsed.
    ///
    /// `message` says in the parser's words what is wrong with it; `help` is the parser's whole text,
    /// which holds how the command is used and where its help is.
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
            cures: [.init(command ?? "lamplighter --help", "everything that it takes")]
        )
    }
}
