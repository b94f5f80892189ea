/// Determines the kind of each bracket in a script, and the role of each word.
///
/// It supports the parts of the language that the console's modules use; above all, statements must
/// end with a semicolon. The tests load its output in a browser.
struct Parser {
    private var tokens: [Token]
    private var open: [(place: Int, bracket: Token.Bracket, conditions: Int)] = []
    /// Whether the members of a class are still to follow its head.
    private var isClassHead = false
    /// Whether the last colon ended a label or case.
    private var isColonOfCase = false

    private static let language: Set = [
        "async", "await", "break", "case", "catch", "class", "const", "continue", "default",
        "delete", "do", "else", "export", "extends", "false", "finally", "for", "function", "if",
        "import", "in", "instanceof", "let", "new", "null", "of", "return", "static", "super",
        "switch", "this", "throw", "true", "try", "typeof", "undefined", "var", "void", "while",
        "yield", "arguments",
    ]
    private static let modifiers: Set = ["async", "get", "set", "static"]

    private init(_ tokens: [Token]) { self.tokens = tokens }

    /// Returns the tokens of a script with roles, brackets and depths.
    static func parse(_ text: String) -> [Token] {
        var parser = Parser(Tokenizer.tokens(text))
        for place in parser.tokens.indices { parser.read(place) }
        return parser.tokens
    }

    /// Returns whether a word is a keyword of the language.
    static func isOfLanguage(_ word: String) -> Bool { language.contains(word) }

    private mutating func read(_ place: Int) {
        let token = tokens[place]
        switch token.kind {
        case .sign: readSign(place)
        case .template:
            if token.text.hasPrefix("}") { close(place) }
            if token.text.hasSuffix("${") { begin(place, .other) }
            tokens[place].depth = open.count
        case .word:
            tokens[place].role = role(place)
            tokens[place].depth = open.count
            if token.text == "class", tokens[place].role == .language { isClassHead = true }
        default: tokens[place].depth = open.count
        }
    }

    private mutating func readSign(_ place: Int) {
        switch tokens[place].text {
        case "{":
            let bracket = bracket(place)
            begin(place, bracket)
            if bracket == .members { isClassHead = false }
        case "(", "[": begin(place, .other)
        case "}", ")", "]": close(place)
        case "?": if !open.isEmpty { open[open.count - 1].conditions += 1 }
        case ":":
            isColonOfCase = open.last?.bracket == .block && open.last?.conditions == 0
            if let last = open.last, last.conditions > 0 { open[open.count - 1].conditions -= 1 }
        case ";": if !open.isEmpty { open[open.count - 1].conditions = 0 }
        default: break
        }
        tokens[place].depth = open.count
    }

    private mutating func begin(_ place: Int, _ bracket: Token.Bracket) {
        tokens[place].bracket = bracket
        open.append((place, bracket, 0))
    }

    private mutating func close(_ place: Int) {
        guard let last = open.popLast() else { fatalError("a bracket too many: \(tokens[place])") }
        tokens[place].bracket = last.bracket
        tokens[place].partner = last.place
        tokens[last.place].partner = place
    }

    private func bracket(_ place: Int) -> Token.Bracket {
        if isClassHead { return .members }
        guard place > 0 else { return .block }
        let last = tokens[place - 1]
        switch last.kind {
        case .sign:
            if last.text == ":" { return isColonOfCase ? .block : .object }
            return [";", "{", "}", ")", "=>"].contains(last.text) ? .block : .object
        case .word:
            return ["else", "do", "try", "finally", "catch"].contains(last.text) ? .block : .object
        default: return .object
        }
    }

    /// Returns the role of a word, from its neighbours.
    private func role(_ place: Int) -> Token.Role {
        let word = tokens[place].text
        if place > 0, tokens[place - 1].isSign(".") || tokens[place - 1].isSign("?.") {
            return .member
        }
        if isMemberName(place) { return memberRole(place) }
        return Self.language.contains(word) ? .language : .variable
    }

    private func isMemberName(_ place: Int) -> Bool {
        guard let last = open.last, last.bracket == .object || last.bracket == .members else {
            return false
        }
        var before = place - 1
        while before > last.place, tokens[before].kind == .word, isModifier(before) { before -= 1 }
        if last.bracket == .object {
            return before == last.place || tokens[before].isSign(",")
        }
        return before == last.place || tokens[before].isSign(";") || tokens[before].isSign("}")
    }

    private func isModifier(_ place: Int) -> Bool {
        Self.modifiers.contains(tokens[place].text) && place + 1 < tokens.count
            && !["(", ",", ":", "}", "=", ";"].contains(tokens[place + 1].text)
    }

    private func memberRole(_ place: Int) -> Token.Role {
        if isModifier(place) { return .language }
        let next = place + 1 < tokens.count ? tokens[place + 1].text : ""
        if open.last?.bracket == .members { return .member }
        return next == ":" || next == "(" ? .member : .shorthand
    }
}
