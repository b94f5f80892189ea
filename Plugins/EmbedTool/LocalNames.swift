/// The short names of the variables in a module's inner scopes.
///
/// A scope's variables get the shortest names that have no other meaning in it: not those of the
/// module's, the browser's or an outer scope's variables that the scope reads. Names that it
/// doesn't read can be reused.
struct LocalNames {
    /// The short names by scope and by source name.
    private var names: [[String: String]]

    /// Names the variables of a module's inner scopes; `tops` are the module's own names, and
    /// `taken` the browser's.
    init(_ module: Module, tops: [String: String], taken: Set<String>) {
        let scopes = module.scopes
        names = Array(repeating: [:], count: scopes.all.count)
        names[0] = tops
        let read = Self.read(scopes, module.tokens)
        for (number, scope) in scopes.all.enumerated().dropFirst() {
            let outer = read[number].map { names[$0.scope][$0.name] ?? $0.name }
            var short = ShortNames(without: taken.union(outer))
            for name in scope.names { names[number][name] = short.next() }
        }
    }

    /// Returns the short name of a scope's variable.
    func short(_ name: String, in scope: Int) -> String { names[scope][name] ?? name }

    private struct Variable: Hashable {
        let scope: Int
        let name: String
    }

    /// Returns for each scope the variables that it or an inner scope reads and that are declared
    /// outside of it.
    private static func read(_ scopes: Scopes, _ tokens: [Token]) -> [Set<Variable>] {
        var read: [Set<Variable>] = Array(repeating: [], count: scopes.all.count)
        for (place, token) in tokens.enumerated() {
            guard token.isVariable, let scope = scopes.scope(of: place) else { continue }
            for inner in scopes.around(place).prefix(while: { $0 != scope }) {
                read[inner].insert(Variable(scope: scope, name: token.text))
            }
        }
        return read
    }
}
