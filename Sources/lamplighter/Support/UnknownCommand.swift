import ArgumentParser
import Problems
import ServiceSettings

/// An unknown word where a command is expected.
///
/// The command line is searched before it is parsed, because the parser would blame the options after the unknown word.
struct UnknownCommand {
    /// The unknown word.
    let word: String
    /// The existing commands that precede the unknown word.
    let before: [String]
    /// The commands that are possible where the unknown word was found.
    let choices: [String]

    /// Returns the first unknown word among the commands, or nil if all are known.
    static func find(in words: [String]) -> UnknownCommand? {
        var command: any ParsableCommand.Type = Lamplighter.self
        var before: [String] = []
        for word in words {
            let configuration = command.configuration
            let choices = configuration.subcommands
            if choices.isEmpty || word.hasPrefix("-") || word == "help" { return nil }
            guard let next = choices.first(where: { $0.configuration.commandName == word }) else {
                // `backup FILE` means `backup make FILE`, so the word is not an unknown command.
                guard configuration.defaultSubcommand == nil else { return nil }
                let names = choices.filter { $0.configuration.shouldDisplay }
                    .compactMap { $0.configuration.commandName }
                return UnknownCommand(word: word, before: before, choices: names)
            }
            before.append(word)
            command = next
        }
        return nil
    }

    /// Returns the problem to report, with the command that was probably meant.
    func problem() -> Problem {
        let group = (["lamplighter"] + before).joined(separator: " ")
        let meant = Suggestion.nearest(to: word, among: choices)
        var cures = [Problem.Cure("\(group) --help", "all commands")]
        if let meant { cures.insert(.init("\(group) \(meant)", "did you mean this?"), at: 0) }
        return Problem(
            .usage,
            "Unknown command '\(word)'" + (meant.map { "; did you mean \($0)?" } ?? ""),
            why: "\(group) has \(choices.joined(separator: ", "))",
            cures: cures
        )
    }
}
