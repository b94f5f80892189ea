import Foundation

/// A target's command line in `schemas/generated/commands.json`: a type for each command and each group of inputs.
struct CommandLineTypes: Decodable {
    /// A command, or a nameless group of inputs.
    struct Command: Decodable {
        let type, `is`: String
        let command, abstract, discussion, defaultSubcommand, operation: String?
        let subcommands: [String]?
        let noted: Bool?
        let inputs: [Input]

        fileprivate var source: String {
            """
            /// \(abstract ?? "A group of inputs.")
            struct \(type): \(`is`) {
            \(configuration)
            \(operation.map { "static let operation = \"\($0)\"" } ?? "")
            \(noted == true ? "static let isNoted = true" : "")
            \(inputs.map(\.source).joined(separator: "\n"))
            }

            """
        }

        private var configuration: String {
            guard let command, let abstract, let discussion else { return "" }
            let arguments: [(String, String?)] = [
                ("commandName", text(command)), ("abstract", text(abstract)), ("discussion", text(discussion)),
                ("subcommands", subcommands.map { "[\($0.map { "\($0).self" }.joined(separator: ", "))]" }),
                ("defaultSubcommand", defaultSubcommand.map { "\($0).self" }),
            ]
            return "static let configuration = CommandConfiguration(\(list(arguments)))"
        }
    }

    /// A variable that the command line sets.
    struct Input: Decodable {
        let variable: String
        let option, argument, flag, group, type, value, name, parsing, title: String?
        let `default`: String?

        fileprivate var source: String {
            let help = (option ?? argument ?? flag).map { help in
                "ArgumentHelp(\(text(help))\(value.map { ", valueName: \(text($0))" } ?? ""))"
            }
            let wrapper = group != nil ? "OptionGroup" : flag != nil ? "Flag" : option != nil ? "Option" : "Argument"
            let arguments: [(String, String?)] = [
                ("title", title.map(text)), ("name", name.map { ".customLong(\(text($0)))" }),
                ("parsing", parsing.map { ".\($0)" }), ("help", help),
            ]
            let type = (group ?? type).map { ": \($0)" } ?? ""
            let start = (`default` ?? (flag != nil && type.isEmpty ? "false" : nil)).map { " = \($0)" } ?? ""
            return "@\(wrapper)(\(list(arguments))) var `\(variable)`\(type)\(start)"
        }
    }

    let imports: [String]
    let commands: [Command]

    /// Returns the Swift source of a target's types.
    static func source(of target: String, by file: String) throws -> String {
        let targets = try JSONDecoder().decode([String: Self].self, from: Data(contentsOf: URL(filePath: file)))
        guard let all = targets[target] else { return "" }
        let imports = (["ArgumentParser"] + all.imports).map { "import \($0)\n" }
        return (imports + all.commands.map(\.source)).joined()
    }
}

private func text(_ text: String) -> String {
    let literal = EmbedTool.literal(text)
    return literal.replacing("\\(", with: "\\\(literal.prefix { $0 == "#" })(")
}

private func list(_ arguments: [(String, String?)]) -> String {
    arguments.compactMap { label, value in value.map { "\(label): \($0)" } }.joined(separator: ", ")
}
