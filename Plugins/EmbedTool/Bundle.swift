/// Bundles the modules that a page's first one imports into one script, with short names and
/// without comments and white space.
///
/// One file compresses far better than sixty, and needs a single request. A module's own variables
/// get names that are unique in the bundle, and inner ones get names by their scopes
/// (`LocalNames`). The names of members and of the browser stay.
struct Bundle {
    private var modules: [String: Module] = [:]
    /// The modules of the bundle, each after those that it needs.
    private var order: [String] = []
    /// The modules that stay files of their own, since only workers load them.
    private let apart: Set<String>
    /// The short names of the modules' own variables, by module and name; `localNames` holds those
    /// of all variables, by module.
    private var topNames: [String: [String: String]] = [:]
    private var localNames: [String: LocalNames] = [:]
    private var privateNames: [String: String] = [:]
    private var wholes: [String: String] = [:]
    /// The names that the browser declares and some module reads.
    private var browserNames: Set<String> = []

    /// Reads modules by their paths; `first` is the one that the page names.
    init(_ texts: [String: String], first: String, apart: Set<String>) {
        self.apart = apart
        for (name, text) in texts {
            modules[name] = Module(name: name, text: text, isApart: apart.contains(name))
        }
        collect(first)
        nameVariables()
    }

    /// Returns the files to serve in place of the modules.
    func files(first: String) -> [String: String] {
        var files = [first: bundle]
        for name in apart { files[name] = alone(name) }
        let missing = Set(modules.keys).subtracting(order).subtracting(apart)
        guard missing.isEmpty else { fatalError("nothing leads to \(missing.sorted())") }
        return files
    }

    // MARK: Order

    private mutating func collect(_ first: String) {
        var seen: Set<String> = [first]
        var waiting: [String] = []
        func visit(_ name: String, into order: inout [String]) {
            guard !apart.contains(name), seen.insert(name).inserted || name == first else { return }
            guard let module = modules[name] else { fatalError("there is no module \(name)") }
            for need in module.needs where need != first { visit(need, into: &order) }
            waiting += module.later
            if name != first { order.append(name) }
        }
        var order: [String] = []
        visit(first, into: &order)
        while let name = waiting.first {
            waiting.removeFirst()
            visit(name, into: &order)
        }
        self.order = order + [first]
    }

    private var bundled: [Module] { order.compactMap { modules[$0] } }

    // MARK: Names

    private mutating func nameVariables() {
        var (topCounts, privateCounts) = ([String: Int](), [String: Int]())
        for module in modules.values {
            for (place, token) in module.tokens.enumerated() {
                if token.kind == .privateName { privateCounts[token.text, default: 0] += 1 }
                guard token.isVariable else { continue }
                switch module.scopes.scope(of: place) {
                case nil: browserNames.insert(token.text)
                case 0? where !apart.contains(module.name):
                    topCounts[topKey(module, token.text), default: 0] += 1
                default: break
                }
            }
        }
        var names = ShortNames(without: browserNames)
        var short: [String: String] = [:]
        for key in Self.sorted(topCounts) { short[key] = names.next() }
        for module in bundled {
            for whole in module.taken.values where whole.member == nil {
                addWhole(whole.module, &names)
            }
            for later in module.later where !apart.contains(later) { addWhole(later, &names) }
            for name in module.top {
                topNames[module.name, default: [:]][name] = short[topKey(module, name)]
            }
        }
        for module in modules.values {
            localNames[module.name] = LocalNames(
                module,
                tops: topNames[module.name] ?? [:],
                taken: browserNames.union(wholes.values)
            )
        }
        var privates = ShortNames(without: [])
        for name in Self.sorted(privateCounts) { privateNames[name] = "#" + privates.next() }
    }

    private mutating func addWhole(_ module: String, _ names: inout ShortNames) {
        if wholes[module] == nil { wholes[module] = names.next() }
    }

    /// Returns a key that is unique to a module's variable; an imported variable has its exporter's
    /// key.
    private func topKey(_ module: Module, _ name: String) -> String {
        guard let (other, member) = module.taken[name] else { return "\(module.name) \(name)" }
        guard let member else { return "whole \(other)" }
        guard apart.contains(other) || modules[other]?.given.contains(member) == true else {
            fatalError("\(module.name) takes \(member) of \(other), which gives no such thing")
        }
        return "\(other) \(member)"
    }

    private static func sorted(_ counts: [String: Int]) -> [String] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }

    // MARK: Text

    private var bundle: String {
        var text = ""
        for name in apart.sorted() {
            let members = Set(
                bundled.flatMap { module in
                    module.taken.filter { $0.value.module == name }.compactMap(\.value.member)
                }
            )
            guard !members.isEmpty else { continue }
            let parts = members.sorted().map { "\($0) as \(topName(of: $0, in: name))" }
            text += "import{\(parts.joined(separator: ","))}from\"./\(name)\";"
        }
        for name in order {
            guard let module = modules[name] else { continue }
            text += written(module)
            guard let whole = wholes[name] else { continue }
            let members = module.given.sorted().map { "\($0):\(topName(of: $0, in: name))" }
            text += "let \(whole)={\(members.joined(separator: ","))};"
        }
        return text
    }

    private func topName(of member: String, in module: String) -> String {
        if let name = topNames[module]?[member] { return name }
        for other in modules.values {
            for (name, source) in other.taken where source == (module, member) {
                if let short = topNames[other.name]?[name] { return short }
            }
        }
        return member
    }

    private func written(_ module: Module) -> String {
        var writer = ScriptWriter()
        var place = 0
        while place < module.tokens.count {
            var token = module.tokens[place]
            if token.isWord("import"), module.tokens[place + 1].isSign("("),
                module.tokens[place + 2].kind == .string
            {
                let path = module.path(String(module.tokens[place + 2].text.dropFirst().dropLast()))
                if let whole = wholes[path] {
                    for text in ["Promise", ".", "resolve", "(", whole, ")"] {
                        writer.write(Token(kind: text.count > 1 ? .word : .sign, text: text), token)
                    }
                    place += 4
                    continue
                }
                writer.write(token, token)
                writer.write(module.tokens[place + 1], token)
                writer.write(Token(kind: .string, text: "\"./\(path)\""), token)
                place += 3
                continue
            }
            token.text = short(place, in: module)
            writer.write(token, module.tokens[place])
            place += 1
        }
        return writer.finish()
    }

    private func short(_ place: Int, in module: Module) -> String {
        let token = module.tokens[place]
        if token.kind == .privateName { return privateNames[token.text] ?? token.text }
        guard token.isVariable, let scope = module.scopes.scope(of: place) else {
            return token.text
        }
        if scope == 0, let (other, member) = module.taken[token.text], member == nil {
            return wholes[other] ?? token.text
        }
        return localNames[module.name]?.short(token.text, in: scope) ?? token.text
    }

    /// Returns a module that stays a file of its own, with the names that other modules import.
    private func alone(_ name: String) -> String {
        guard let module = modules[name] else { fatalError("there is no module \(name)") }
        let up = String(repeating: "../", count: name.split(separator: "/").count - 1)
        let imports = module.taken.sorted { $0.key < $1.key }.map { own, source in
            let part = source.member.map { "{\($0) as \(own)}" } ?? "*as \(own)"
            return "import\(part)from\"\(up.isEmpty ? "./" : up)\(source.module)\";"
        }
        var writer = ScriptWriter()
        for place in module.tokens.indices {
            var token = module.tokens[place]
            token.text = short(place, in: module)
            writer.write(token, module.tokens[place])
        }
        return imports.joined() + writer.finish()
    }
}
