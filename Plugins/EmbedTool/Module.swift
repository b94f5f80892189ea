/// A module of a script, with its declarations, imports and exports.
struct Module {
    /// The path below the common folder.
    let name: String
    private(set) var tokens: [Token]
    /// The modules that must run before this one.
    private(set) var needs: [String] = []
    /// The modules that it loads on demand.
    private(set) var later: [String] = []
    /// The imports by their local names; the member is nil for a whole module.
    private(set) var taken: [String: (module: String, member: String?)] = [:]
    /// The exported names.
    private(set) var given: Set<String> = []
    /// The declarations by scope.
    private(set) var scopes = Scopes([], taken: [], module: "")

    init(name: String, text: String, isApart: Bool) {
        self.name = name
        tokens = Parser.parse(text)
        readImports()
        readExports(keeping: isApart)
        scopes = Scopes(tokens, taken: taken.keys.sorted(), module: name)
    }

    /// The module's own variables, including imported ones.
    var top: [String] { scopes.all[0].names }

    /// Returns the path of a module from an address relative to this one.
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

    // MARK: Imports and exports

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

    /// Matches the brackets again.
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
