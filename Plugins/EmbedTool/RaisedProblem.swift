/// The declaration of a `Problem`, with placeholders such as `{path}` in its texts.
struct RaisedProblem: Decodable {
    let name, message, why: String
    let at: String?
    /// The commands that can solve the problem, each with a note.
    let cures: [[String]]
    /// The function's parameters as Swift declares them, one for each placeholder.
    let parameters: [String]

    /// Returns the Swift source of a function that takes a value for each placeholder and returns the problem.
    func function(code: String) -> String {
        let place = at.map { place in
            let name = String(place.dropFirst().dropLast())
            return parameters.contains("\(name): String?") ? name : Self.filled(place)
        }
        let cures = cures.map { ".init(\($0.map(Self.filled).joined(separator: ", ")))" }
        return """
            extension Problem {
                /// Makes the problem: \(message.prefix { $0 != "\n" })
                package static func \(name)(\(parameters.joined(separator: ", "))) -> Problem {
                    Problem(.\(code), \(Self.filled(message)), at: \(place ?? "nil"),
                        why: \(Self.filled(why)), cures: [\(cures.joined(separator: ", "))])
                }
            }

            """
    }

    /// Returns a text as a string literal that interpolates the parameters at the placeholders.
    private static func filled(_ text: String) -> String {
        let literal = EmbedTool.literal(text)
        let signs = literal.prefix { $0 == "#" }
        return literal.replacing(/\{(\w+)\}/) { "\\\(signs)(\($0.output.1))" }
    }
}
