/// A module of a script: what it declares, takes from others and gives to them.
struct Module {
    /// Its path below the folder of all.
    let name: String
    private(set) var tokens: [Token]
    /// The modules that it needs before it runs.
    private(set) var needs: [String] = []
    /// The modules that it reads when they are asked for.
    private(set) var later: [String] = []
    /// What it takes from others, by its own name for it; the member is nil for all of a module.
    private(set) var taken: [String: (module: String, member: String?)] = [:]
    /// What it gives to others.
    private(set) var given: Set<String> = []
    /// The variables of the module itself, and all others that it declares.
    private(set) var top: Set<String> = []
    private(set) var declared: Set<String> = []

    init(name: String, text: String, isApart: Bool) {
        self.name = name
        tokens = Parser.parse(text)
        findDeclarations()
        readImports()
        readExports(keeping: isApart)
        top.formUnion(taken.keys)
    }

    /// Returns the path of a module that this one names by its own place.
    func path(_ address: String) -> String {
        var parts = name.split(separator: "/").dropLast().map(String.init)
        for part in address.split(separator: "/") {
            if part == ".." {
                _ = parts.popLast()
            } else if part != "." {
                parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }

    private static func unquoted(_ text: String) -> String { String(text.dropFirst().dropLast()) }

    // MARK: What it declares

    private mutating func findDeclarations() {
        for place in tokens.indices {
            let token = tokens[place]
            let next = place + 1 < tokens.count ? tokens[place + 1] : nil
            if token.kind == .word, token.role == .language {
                if ["const", "let", "var"].contains(token.text) {
                    declareVariables(behind: place)
                } else if ["function", "class"].contains(token.text) {
                    let name = next?.isSign("*") == true ? place + 2 : place + 1
                    if tokens[name].role == .variable { declare(name, depth: token.depth) }
                }
            } else if token.role == .variable, next?.isSign("=>") == true {
                declare(place, depth: .max)
            } else if token.isSign(")"),
                next?.isSign("=>") == true
                    || (next?.isSign("{") == true && !isCondition(token.partner))
            {
                declareAll(token.partner + 1..<place, depth: .max)
            }
        }
    }

    private func isCondition(_ place: Int) -> Bool {
        place > 0 && tokens[place - 1].role == .language
            && ["if", "for", "while", "switch", "await"].contains(tokens[place - 1].text)
    }

    private mutating func declare(_ place: Int, depth: Int) {
        declared.insert(tokens[place].text)
        if depth == 0 { top.insert(tokens[place].text) }
    }

    /// Declares what follows `const`, `let` or `var`: a name or pattern, and those behind each comma.
    private mutating func declareVariables(behind keyword: Int) {
        let depth = tokens[keyword].depth
        var place = keyword + 1
        while place < tokens.count {
            let token = tokens[place]
            if token.isSign("[") || token.isSign("{") {
                declareAll(place + 1..<token.partner, depth: depth)
                place = token.partner + 1
            } else {
                declare(place, depth: depth)
                place += 1
            }
            // Behind the value, another name, or the end.
            while place < tokens.count, !tokens[place].isSign(",") || tokens[place].depth > depth {
                let token = tokens[place]
                if token.isSign(";") || token.depth < depth || token.isWord("of")
                    || token.isWord("in")
                {
                    if token.depth <= depth { return }
                }
                place += 1
            }
            place += 1
        }
    }

    /// Declares the names in a pattern or a list of parameters, without what stands in their defaults.
    private mutating func declareAll(_ range: Range<Int>, depth: Int) {
        var place = range.lowerBound
        while place < range.upperBound {
            let token = tokens[place]
            if token.role == .variable || token.role == .shorthand {
                declare(place, depth: depth)
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

    // MARK: What it takes and gives

    private mutating func readImports() {
        var place = 0
        while place < tokens.count {
            guard tokens[place].isWord("import"), tokens[place].role == .language else {
                place += 1
                continue
            }
            if tokens[place + 1].isSign("(") {
                if tokens[place + 2].kind == .string {
                    later.append(path(Self.unquoted(tokens[place + 2].text)))
                }
                place += 1
                continue
            }
            let end = tokens[place...].firstIndex { $0.isSign(";") } ?? tokens.count - 1
            readImport(Array(tokens[place..<end]))
            tokens.removeSubrange(place...end)
            renumber()
        }
    }

    private mutating func readImport(_ statement: [Token]) {
        let module = path(Self.unquoted(statement[statement.count - 1].text))
        needs.append(module)
        if statement[1].isSign("*") {
            taken[statement[3].text] = (module, nil)
        } else if statement[1].isSign("{") {
            for part in statement[2...].split(whereSeparator: { $0.isSign(",") || $0.isSign("}") })
            {
                let names = Array(part)
                guard let member = names.first?.text, member != "from" else { continue }
                taken[names.count == 3 ? names[2].text : member] = (module, member)
            }
        } else if statement.count > 2 {
            fatalError("\(name): this form of import is not known to EmbedTool")
        }
    }

    private mutating func readExports(keeping: Bool) {
        var place = 0
        while place < tokens.count {
            guard tokens[place].isWord("export"), tokens[place].depth == 0 else {
                place += 1
                continue
            }
            if tokens[place + 1].isWord("default") {
                given.insert("default")
                place += 1
                continue
            }
            var next = place + 1
            if tokens[next].isWord("async") { next += 1 }
            if tokens[next + 1].isSign("*") { next += 1 }
            guard tokens[next + 1].role == .variable else {
                fatalError("\(name): this form of export is not known to EmbedTool")
            }
            given.insert(tokens[next + 1].text)
            guard !keeping else {
                place += 1
                continue
            }
            tokens.remove(at: place)
            renumber()
        }
    }

    /// Finds the halves of brackets again.
    private mutating func renumber() {
        var open: [Int] = []
        for place in tokens.indices {
            let text = tokens[place].text
            let isTemplate = tokens[place].kind == .template
            if tokens[place].kind == .sign || isTemplate {
                if isTemplate ? text.hasPrefix("}") : [")", "]", "}"].contains(text) {
                    let start = open.removeLast()
                    tokens[place].partner = start
                    tokens[start].partner = place
                }
                if isTemplate ? text.hasSuffix("${") : ["(", "[", "{"].contains(text) {
                    open.append(place)
                }
            }
        }
    }
}
