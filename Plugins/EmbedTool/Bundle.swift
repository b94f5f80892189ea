/// Makes one script of the modules that a page's first one leads to, with short names, and without what people alone read.
///
/// One file compresses far better than sixty, and is one request. Names become others one to one in each module, which
/// changes no meaning whatever stands within what; members' names and those of the browser stay.
struct Bundle {
    private var modules: [String: Module] = [:]
    /// The modules of the bundle, each behind those that it needs.
    private var order: [String] = []
    /// Modules that stay files of their own, since workers or one language alone read them.
    private let apart: Set<String>
    /// The short names of modules' own variables, by module and name, and those of all others.
    private var topNames: [String: [String: String]] = [:]
    private var localNames: [String: String] = [:]
    private var privateNames: [String: String] = [:]
    private var wholes: [String: String] = [:]

    /// What browsers call their own, where a module also declares that name: it stays in that module.
    private static let browserNames: Set = [
        "document", "event", "history", "location", "name", "navigator", "parent", "self", "status",
        "top", "window",
    ]

    /// Reads modules by their paths; `first` is what the page names.
    init(_ texts: [String: String], first: String, apart: Set<String>) {
        self.apart = apart
        for (name, text) in texts {
            modules[name] = Module(name: name, text: text, isApart: apart.contains(name))
        }
        collect(first)
        nameVariables()
    }

    /// Returns the files to serve in the place of the modules.
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

    // MARK: Names

    private mutating func nameVariables() {
        var taken: Set<String> = []
        var (topCounts, localCounts, privateCounts) = (
            [String: Int](), [String: Int](), [String: Int]()
        )
        for module in order.compactMap({ modules[$0] }) {
            for token in module.tokens {
                if token.kind == .privateName { privateCounts[token.text, default: 0] += 1 }
                guard token.role == .variable || token.role == .shorthand else { continue }
                if module.top.contains(token.text) {
                    topCounts[topKey(module, token.text), default: 0] += 1
                } else if isLocal(module, token.text) {
                    localCounts[token.text, default: 0] += 1
                } else {
                    taken.insert(token.text)
                }
            }
        }
        var names = ShortNames(without: taken)
        let tops = Self.sorted(topCounts)
        let locals = Self.sorted(localCounts)
        // Single letters for those that are most often written.
        let (fewTops, fewLocals) = (tops.prefix(10), locals.prefix(40))
        var topNames: [String: String] = [:]
        for key in fewTops { topNames[key] = names.next() }
        for name in fewLocals { localNames[name] = names.next() }
        for key in tops.dropFirst(fewTops.count) { topNames[key] = names.next() }
        for name in locals.dropFirst(fewLocals.count) { localNames[name] = names.next() }
        for module in order.compactMap({ modules[$0] }) {
            for name in module.top {
                self.topNames[module.name, default: [:]][name] = topNames[topKey(module, name)]
            }
        }
        for module in modules.values where !apart.contains(module.name) {
            for whole in module.taken.values where whole.member == nil {
                addWhole(whole.module, &names)
            }
            for later in module.later where !apart.contains(later) { addWhole(later, &names) }
        }
        var privates = ShortNames(without: [])
        for name in Self.sorted(privateCounts) { privateNames[name] = "#" + privates.next() }
    }

    private mutating func addWhole(_ module: String, _ names: inout ShortNames) {
        if wholes[module] == nil { wholes[module] = names.next() }
    }

    private func isLocal(_ module: Module, _ name: String) -> Bool {
        module.declared.contains(name) && !Self.browserNames.contains(name)
    }

    /// Returns what tells a module's variable from all others: what it took is another's.
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
                order.compactMap { modules[$0] }.flatMap { module in
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
            text += "const \(whole)={\(members.joined(separator: ","))};"
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
            if token.kind == .privateName { token.text = privateNames[token.text] ?? token.text }
            if token.role == .variable || token.role == .shorthand {
                token.text = short(token.text, in: module)
            }
            writer.write(token, module.tokens[place])
            place += 1
        }
        return writer.finish()
    }

    private func short(_ name: String, in module: Module) -> String {
        if let (other, member) = module.taken[name], member == nil { return wholes[other] ?? name }
        if module.top.contains(name) { return topNames[module.name]?[name] ?? name }
        return isLocal(module, name) ? localNames[name] ?? name : name
    }

    /// Returns a module that stays a file of its own, with the names that it has.
    private func alone(_ name: String) -> String {
        guard let module = modules[name] else { fatalError("there is no module \(name)") }
        let up = String(repeating: "../", count: name.split(separator: "/").count - 1)
        let imports = module.taken.sorted { $0.key < $1.key }.map { own, source in
            let part = source.member.map { "{\($0) as \(own)}" } ?? "*as \(own)"
            return "import\(part)from\"\(up.isEmpty ? "./" : up)\(source.module)\";"
        }
        var writer = ScriptWriter()
        for token in module.tokens { writer.write(token, token) }
        return imports.joined() + writer.finish()
    }
}
