/// Resolves each name of a module to the narrowest scope around it that declares it.
///
/// A scope ends no earlier than in the language, and includes no other scope's names. A function's
/// parameters and its body's declarations form one scope, since the language doesn't let them share
/// names either.
struct Scopes {
    struct Scope {
        /// The scope's tokens.
        let range: Range<Int>
        /// The enclosing scope; nil for the module's own.
        let parent: Int?
        /// The declared names, each once, in the order of the text.
        var names: [String] = []
    }

    /// The scopes, each after those around it; the first is the module's own.
    private(set) var all: [Scope] = []
    /// The innermost scope of each token.
    private var around: [Int] = []
    /// The variables in parameters' defaults that aren't parameters, with their places and the
    /// function's scope.
    private var defaults: [(place: Int, scope: Int)] = []
    private let tokens: [Token]
    private let module: String

    /// Reads a module's tokens; `taken` are the local names of its imports.
    init(_ tokens: [Token], taken: [String], module: String) {
        (self.tokens, self.module) = (tokens, module)
        findScopes()
        all[0].names = taken
        findDeclarations()
        for (place, scope) in defaults where self.scope(of: place) == scope {
            // In the language, the default reads the variable around the function.
            fatalError("\(module): a default reads \(tokens[place].text), which the body declares")
        }
    }

    /// Returns the scopes around a token, narrowest first.
    func around(_ place: Int) -> some Sequence<Int> {
        sequence(first: around[place]) { all[$0].parent }
    }

    /// Returns the scope whose variable a token names; nil for a name that the module doesn't
    /// declare.
    func scope(of place: Int) -> Int? {
        around(place).first { all[$0].names.contains(tokens[place].text) }
    }

    // MARK: Scopes

    private mutating func findScopes() {
        var ranges = [0..<tokens.count]
        for (place, token) in tokens.enumerated() {
            if token.isWord("for"), token.role == .language {
                ranges.append(place..<loopEnd(place))
            } else if token.isSign("=>") {
                ranges.append(arrowStart(place)..<arrowEnd(place))
            } else if token.isSign("{"), token.bracket == .block {
                ranges.append(blockStart(place)..<token.partner + 1)
            }
        }
        ranges.sort { ($0.lowerBound, $1.upperBound) < ($1.lowerBound, $0.upperBound) }
        around = Array(repeating: 0, count: tokens.count)
        var open: [Int] = []
        for range in ranges {
            while let last = open.last, all[last].range.upperBound <= range.lowerBound {
                open.removeLast()
            }
            // An arrow function's block belongs to the arrow's scope.
            if let last = open.last, all[last].range == range { continue }
            open.append(all.count)
            for place in range { around[place] = all.count }
            all.append(Scope(range: range, parent: open.dropLast().last))
        }
    }

    /// Returns where a block's scope begins: at its parameters, if any.
    private func blockStart(_ place: Int) -> Int {
        guard place > 0 else { return place }
        if tokens[place - 1].isSign("=>") { return arrowStart(place - 1) }
        return tokens[place - 1].isSign(")") && isParameters(place - 1)
            ? tokens[place - 1].partner : place
    }

    /// Returns whether a bracket that closes before a block closes parameters, or the variable of a
    /// `catch`.
    private func isParameters(_ place: Int) -> Bool {
        let start = tokens[place].partner
        guard start > 0, tokens[start - 1].role == .language else { return true }
        return !["if", "for", "while", "switch", "await"].contains(tokens[start - 1].text)
    }

    private func arrowStart(_ place: Int) -> Int {
        tokens[place - 1].isSign(")") ? tokens[place - 1].partner : place - 1
    }

    /// Returns the place after an arrow function's body: its block, or its expression.
    private func arrowEnd(_ arrow: Int) -> Int {
        if tokens[arrow + 1].isSign("{") { return tokens[arrow + 1].partner + 1 }
        let depth = tokens[arrow].depth
        var conditions = 0
        for place in arrow + 1..<tokens.count {
            let token = tokens[place]
            let isNextPart = token.kind == .template && token.text.hasPrefix("}")
            if token.depth < depth || (token.depth == depth && isNextPart) { return place }
            guard token.depth == depth, token.kind == .sign else { continue }
            switch token.text {
            case ",", ";": return place
            case "?": conditions += 1
            case ":":
                if conditions == 0 { return place }
                conditions -= 1
            default: break
            }
        }
        return tokens.count
    }

    /// Returns the place after a loop's body: its block, or its statement.
    private func loopEnd(_ keyword: Int) -> Int {
        let depth = tokens[keyword].depth
        guard let head = tokens[keyword...].firstIndex(where: { $0.isSign("(") }) else {
            fatalError("\(module): a loop without a head")
        }
        let body = tokens[head].partner + 1
        if tokens[body].isSign("{") { return tokens[body].partner + 1 }
        for place in body..<tokens.count {
            if tokens[place].isSign("{"), tokens[place].bracket == .block,
                tokens[place].depth == depth + 1
            {
                fatalError("\(module): a loop's statement with a block is not known to EmbedTool")
            }
            let isEnd = tokens[place].isSign(";") && tokens[place].depth == depth
            if isEnd, place + 1 == tokens.count || !tokens[place + 1].isWord("else") {
                return place + 1
            }
        }
        return tokens.count
    }

    // MARK: Declarations

    private mutating func findDeclarations() {
        for (place, token) in tokens.enumerated() {
            let next = place + 1 < tokens.count ? tokens[place + 1] : nil
            if token.kind == .word, token.role == .language {
                if token.text == "const" || token.text == "let" {
                    declareVariables(behind: place)
                } else if token.text == "function" || token.text == "class" {
                    let name = next?.isSign("*") == true ? place + 2 : place + 1
                    if tokens[name].role == .variable { declare(name) }
                } else if token.text == "var" {
                    // The variable belongs to the function, not to the block.
                    fatalError("\(module): var is not known to EmbedTool")
                }
            } else if token.role == .variable, next?.isSign("=>") == true {
                declare(place)
            } else if token.isSign(")"),
                next?.isSign("=>") == true || (next?.isSign("{") == true && isParameters(place))
            {
                declareParameters(token.partner + 1..<place)
            }
        }
    }

    private mutating func declareParameters(_ range: Range<Int>) {
        declareAll(range)
        for place in range where tokens[place].isVariable {
            let scope = around[range.lowerBound]
            if !all[scope].names.contains(tokens[place].text) { defaults.append((place, scope)) }
        }
    }

    private mutating func declare(_ place: Int) {
        let scope = around[place]
        if !all[scope].names.contains(tokens[place].text) {
            all[scope].names.append(tokens[place].text)
        }
    }

    /// Declares the variables after `const` or `let`: a name or pattern, and those after each
    /// comma.
    private mutating func declareVariables(behind keyword: Int) {
        let depth = tokens[keyword].depth
        var place = keyword + 1
        while place < tokens.count {
            let token = tokens[place]
            if token.isSign("[") || token.isSign("{") {
                declareAll(place + 1..<token.partner)
                place = token.partner + 1
            } else {
                declare(place)
                place += 1
            }
            // After the value follows another name, or the end.
            while place < tokens.count, !tokens[place].isSign(",") || tokens[place].depth > depth {
                let token = tokens[place]
                if token.depth < depth { return }
                if token.depth == depth,
                    token.isSign(";") || token.isWord("of") || token.isWord("in")
                {
                    return
                }
                place += 1
            }
            place += 1
        }
    }

    /// Declares the names in a pattern or a list of parameters, without the names in their
    /// defaults.
    private mutating func declareAll(_ range: Range<Int>) {
        var place = range.lowerBound
        while place < range.upperBound {
            let token = tokens[place]
            if token.isVariable {
                declare(place)
            } else if token.isSign("=") {
                let level = token.depth
                place += 1
                while place < range.upperBound,
                    tokens[place].depth > level
                        || (tokens[place].depth == level && !tokens[place].isSign(","))
                { place += 1 }
                continue
            }
            place += 1
        }
    }
}
