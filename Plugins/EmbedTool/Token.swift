/// A token of a script.
struct Token {
    enum Kind {
        case word, privateName, number, string, template, pattern, sign
    }

    /// The role of a word.
    enum Role {
        /// A variable, of the module or of the browser.
        case variable
        /// A member's name, which other code can use, so it stays.
        case member
        /// A variable and a member's name at once: `{ name }`.
        case shorthand
        /// A keyword of the language.
        case language
    }

    /// The content of a pair of brackets.
    enum Bracket {
        case block, object, members, other
    }

    var kind: Kind
    var text: String
    /// Whether the token begins a line, so that the previous statement can end before it.
    var isAfterNewline = false
    var role = Role.language
    /// For a bracket, its content.
    var bracket = Bracket.other
    /// The number of enclosing brackets; an opening bracket counts as part of its content.
    var depth = 0
    /// For a bracket, the place of its other half.
    var partner = 0

    func isSign(_ text: String) -> Bool { kind == .sign && self.text == text }
    func isWord(_ text: String) -> Bool { kind == .word && self.text == text }
    /// Whether the token names a variable of the module or the browser.
    var isVariable: Bool { kind == .word && (role == .variable || role == .shorthand) }
}

/// Splits a script into tokens, without comments and white space.
struct Tokenizer {
    private let bytes: [UInt8]
    private var at = 0
    private var tokens: [Token] = []
    /// The open braces; true for those after which a template continues.
    private var braces: [Bool] = []
    private var isAfterNewline = false

    private static let signs = [
        ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==",
        "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
        "|=", "^=", "<<", ">>", "**",
    ].map { Array($0.utf8) }
    /// The words after which a slash begins a regular expression.
    private static let operators: Set = [
        "return", "typeof", "case", "in", "of", "do", "else", "void", "delete", "new", "throw",
        "instanceof", "yield", "await", "default",
    ]

    private init(_ text: String) { bytes = Array(text.utf8) }

    /// Returns the tokens of a script.
    static func tokens(_ text: String) -> [Token] {
        var tokenizer = Tokenizer(text)
        while tokenizer.next() {}
        return tokenizer.tokens
    }

    private func byte(_ offset: Int = 0) -> UInt8 {
        at + offset < bytes.count ? bytes[at + offset] : 0
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 128...:
            true
        default: false
        }
    }

    private mutating func add(_ kind: Token.Kind, from start: Int) {
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        tokens.append(Token(kind: kind, text: text, isAfterNewline: isAfterNewline))
        isAfterNewline = false
    }

    private mutating func next() -> Bool {
        skip()
        guard at < bytes.count else { return false }
        let start = at
        switch byte() {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            while Self.isWord(byte()) || byte() == UInt8(ascii: ".") { at += 1 }
            add(.number, from: start)
        case UInt8(ascii: "#"):
            at += 1
            while Self.isWord(byte()) { at += 1 }
            add(.privateName, from: start)
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            string(byte())
            add(.string, from: start)
        case UInt8(ascii: "`"):
            at += 1
            template(from: start)
        case UInt8(ascii: "}") where braces.last == true:
            at += 1
            braces.removeLast()
            template(from: start)
        case UInt8(ascii: "/") where isPatternNext:
            pattern()
            add(.pattern, from: start)
        case let first where Self.isWord(first):
            while Self.isWord(byte()) { at += 1 }
            add(.word, from: start)
        default: sign()
        }
        return true
    }

    private mutating func skip() {
        while at < bytes.count {
            if byte() == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "/") {
                while at < bytes.count, byte() != UInt8(ascii: "\n") { at += 1 }
            } else if byte() == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
                while at < bytes.count,
                    !(byte() == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/"))
                { at += 1 }
                at += 2
            } else if byte() == UInt8(ascii: "\n") {
                isAfterNewline = true
                at += 1
            } else if byte() == UInt8(ascii: " ") || byte() == UInt8(ascii: "\t") {
                at += 1
            } else {
                return
            }
        }
    }

    private mutating func string(_ end: UInt8) {
        at += 1
        while at < bytes.count, byte() != end { at += byte() == UInt8(ascii: "\\") ? 2 : 1 }
        at += 1
    }

    /// Reads a template up to its end or to its next value.
    private mutating func template(from start: Int) {
        while at < bytes.count {
            if byte() == UInt8(ascii: "`") {
                at += 1
                break
            }
            if byte() == UInt8(ascii: "$"), byte(1) == UInt8(ascii: "{") {
                at += 2
                braces.append(true)
                break
            }
            at += byte() == UInt8(ascii: "\\") ? 2 : 1
        }
        add(.template, from: start)
    }

    private mutating func pattern() {
        at += 1
        var isInClass = false
        while at < bytes.count, isInClass || byte() != UInt8(ascii: "/") {
            if byte() == UInt8(ascii: "[") { isInClass = true }
            if byte() == UInt8(ascii: "]") { isInClass = false }
            at += byte() == UInt8(ascii: "\\") ? 2 : 1
        }
        at += 1
        while Self.isWord(byte()) { at += 1 }
    }

    private var isPatternNext: Bool {
        guard let last = tokens.last else { return true }
        return switch last.kind {
        case .sign: ![")", "]", "}"].contains(last.text)
        case .word: Self.operators.contains(last.text)
        case .template: last.text.hasSuffix("${")
        default: false
        }
    }

    private mutating func sign() {
        let start = at
        let found = Self.signs.first { bytes[at...].starts(with: $0) }
        if byte() == UInt8(ascii: "{") { braces.append(false) }
        if byte() == UInt8(ascii: "}") { _ = braces.popLast() }
        at += found?.count ?? 1
        add(.sign, from: start)
    }
}
