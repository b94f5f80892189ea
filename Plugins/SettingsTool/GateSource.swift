/// Generates the Swift source of `GateLimits` and `GateOption`.
enum GateSource {
    static func text(_ declarations: [Declaration]) -> String {
        let options = declarations.filter { $0.option != nil }
        func lines(_ line: (Declaration) -> String) -> String { options.map { "        \(line($0))\n" }.joined() }
        return """
            /// The limits that the gate sets on clients, with their defaults; 0 switches a limit off.
            package struct GateLimits: Sendable, Equatable {
            \(properties(options))
                /// Uses the default limits.
                package init() {}
            }

            /// An option of the gate that sets a limit.
            ///
            /// The raw value is the option's name in the broker's configuration, without the prefix `plugin_opt_`.
            package enum GateOption: String, Sendable, CaseIterable {
            \(lines { "case \(name($0)) = \"\($0.option ?? "")\"" })
                /// The limit that the option sets.
                package var limit: WritableKeyPath<GateLimits, Int> {
                    switch self {
            \(lines { "case .\(name($0)): \\.\($0.path.dropFirst().joined(separator: "."))" })
                    }
                }

                /// The largest number that the option accepts.
                package var numberMax: Int {
                    switch self {
            \(lines { "case .\(name($0)): \($0.optionMax)" })
                    }
                }
            }

            """
    }

    private static func properties(_ options: [Declaration]) -> String {
        var senders: [Substring] = []
        return options.map { option in
            guard option.path.count == 3 else {
                return "    \(option.comment)\n" + "    package var \(option.path[1]) = \(option.number)\n"
            }
            let sender = option.path[1]
            guard !senders.contains(sender) else { return "" }
            senders.append(sender)
            let parts = options.filter { $0.path.count == 3 && $0.path[1] == sender }
                .map { "\($0.path[2]): \($0.number)" }
            return "    \(option.comment)\n"
                + "    package var \(sender) = Allowance(\(parts.joined(separator: ", ")))\n"
        }
        .joined()
    }

    private static func name(_ declaration: Declaration) -> String {
        let words = (declaration.option ?? "").split(separator: "_")
        let others = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return words[0] + others.joined()
    }
}
