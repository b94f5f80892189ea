/// An error with a code: a `Problem` whose texts have places for values, such as `{path}`.
struct RaisedProblem: Decodable {
    let name, message, why: String
    let at: String?
    /// Commands with notes.
    let cures: [[String]]
    /// The values for the places, as Swift declares them.
    let parameters: [String]

    /// Returns the function that makes the problem, which takes a value for each place.
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

    /// Returns the literal of a text, with the parameters in its places.
    private static func filled(_ text: String) -> String {
        let literal = EmbedTool.literal(text)
        let signs = literal.prefix { $0 == "#" }
        return literal.replacing(/\{(\w+)\}/) { "\\\(signs)(\($0.output.1))" }
    }
}
