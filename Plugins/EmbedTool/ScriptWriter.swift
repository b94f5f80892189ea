/// Writes tokens with as little between them as the language allows.
struct ScriptWriter {
    private var text = ""
    private var last: Token?
    /// A semicolon or comma that is omitted if a closing bracket follows.
    private var waiting: Token?
    /// The enclosing templates, and whether each is a view's.
    private var templates: [Bool] = []
    /// Whether the last token was the function that makes views.
    private var wasView = false
    /// The depths at which a declaration is being written; `wasDeclaration` is whether the last
    /// statement was one.
    private var declaring: Set<Int> = []
    private var wasDeclaration = false

    /// Writes a token made from one of the source.
    mutating func write(_ token: Token, _ source: Token) {
        var token = token
        if source.role == .shorthand, token.text != source.text {
            token.text = "\(source.text):\(token.text)"
        }
        let isDeclaration =
            source.role == .language && (source.isWord("const") || source.isWord("let"))
        // Nothing is assigned to a constant, so `let` can replace `const`: a single word compresses
        // better.
        if isDeclaration { token.text = "let" }
        if var end = waiting {
            waiting = nil
            if isDeclaration, end.isSign(";"), wasDeclaration {
                end.text = ","
                put(end)
                declaring.insert(source.depth)
                return
            }
            let isLast = ["]", ")"].contains(token.text) && end.text == ","
            if !token.isSign("}") && !isLast { put(end) }
        }
        if isDeclaration, last?.isWord("export") != true {
            declaring.insert(source.depth)
        } else if ["(", "[", "{"].contains(where: token.isSign) || mayBegin(token) {
            declaring.remove(source.depth)
        }
        if token.isSign(";") || token.isSign(",") {
            waiting = token
            wasDeclaration = token.isSign(";") && declaring.remove(source.depth) != nil
        } else {
            if token.kind == .template { token.text = tight(token.text) }
            put(token)
        }
        wasView = source.isWord("html")
    }

    /// Returns the written text.
    mutating func finish() -> String {
        if let waiting { put(waiting) }
        waiting = nil
        return text
    }

    private mutating func put(_ token: Token) {
        if let last, needsSpace(last, token) {
            text += token.isAfterNewline && Self.endsStatement(last) ? "\n" : " "
        }
        text += token.text
        last = token
    }

    private func needsSpace(_ last: Token, _ token: Token) -> Bool {
        let isWord = { (kind: Token.Kind) in kind == .word || kind == .number }
        if isWord(last.kind), isWord(token.kind) || token.kind == .privateName { return true }
        if mayBegin(token) { return true }
        if last.kind == .sign, token.kind == .sign || token.kind == .pattern {
            let ends = (last.text.last, token.text.first)
            return ends == ("+", "+") || ends == ("-", "-") || ends == ("/", "/")
        }
        return last.kind == .number && token.isSign(".")
    }

    /// Returns whether the end of a line before a token can end a statement.
    private func mayBegin(_ token: Token) -> Bool {
        token.isAfterNewline && last.map(Self.endsStatement) == true
            && Self.beginsStatement(token)
    }

    /// Returns whether a statement can end with a token where its line ends.
    private static func endsStatement(_ token: Token) -> Bool {
        switch token.kind {
        case .sign:
            [")", "]", "++", "--"].contains(token.text)
                || (token.text == "}" && token.bracket == .object)
        case .template: token.text.hasSuffix("`")
        case .word:
            token.role != .language || ["return", "break", "continue", "this"].contains(token.text)
        default: true
        }
    }

    private static func beginsStatement(_ token: Token) -> Bool {
        token.kind != .sign || ["{", "++", "--", "!", "~"].contains(token.text)
    }

    /// Returns a part of a template, shortened if it's a view's.
    ///
    /// Views ignore white space around line ends. So a part keeps only the line ends, and not those
    /// between elements and values, and its closing tags lose their names.
    private mutating func tight(_ text: String) -> String {
        let isFirst = text.hasPrefix("`")
        let isView = isFirst ? wasView : templates.last ?? false
        let isLast = text.hasSuffix("`") && text.count > 1
        if isFirst, !isLast { templates.append(wasView) }
        if !isFirst, isLast { templates.removeLast() }
        guard isView else { return text }
        var lines = text.replacing(/<\/[\w\-]+>/, with: "</>")
            .split(separator: "\n", omittingEmptySubsequences: false)
        for place in lines.indices.dropFirst() { lines[place] = lines[place].drop { $0 == " " } }
        return lines.dropFirst().reduce(into: String(lines[0])) { text, line in
            let isBehind = text.hasSuffix(">") || text == "}" || text == "`"
            let isBefore = line.hasPrefix("<") || line == "${" || line == "`"
            text += (isBehind && isBefore ? "" : "\n") + line
        }
    }
}
