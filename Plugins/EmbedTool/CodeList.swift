import Foundation

/// A list in `schemas/generated/lists.json`, from which an enum of codes or reasons is generated.
struct CodeList: Decodable {
    /// One of the enum's Boolean properties, such as `isPassing`, which is true for some cases.
    struct Flag: Decodable {
        let name, doc: String
    }
    /// A case of the enum, with its flags, its problems, and the texts of its page.
    struct Entry: Decodable {
        let name, value, doc: String
        let page, flags: [String]
        let raised: [RaisedProblem]
    }
    private struct File: Decodable {
        let lists: [CodeList]
    }

    /// The enum's name, preceded by the name of the enclosing type, if any, as in `Session.EndReason`.
    let type: String
    /// The target that the enum is generated for.
    let target: String
    let doc: String
    /// The target that needs the texts of the enum's pages, or nil if no target needs them.
    let pages: String?
    /// The names of the texts on the page that explains a case, such as `cause` and `cure`.
    let page: [String]
    let flags: [Flag]
    let entries: [Entry]

    /// Generates a target's Swift source from the lists in a file.
    static func source(of target: String, by file: String) throws -> String {
        let data = try Data(contentsOf: URL(filePath: file))
        let lists = try JSONDecoder().decode(File.self, from: data).lists
        let parts =
            lists.filter { $0.target == target }.map(\.enumeration)
            + lists.filter { $0.pages == target }.map(\.pageProperty)
            + lists.filter { $0.target == target }.flatMap(\.entries).flatMap { entry in
                entry.raised.map { $0.function(code: entry.name) }
            }
        return parts.joined(separator: "\n")
    }

    private var enumeration: String {
        let names = type.split(separator: ".")
        let cases = entries.map { "/// \($0.doc)\ncase `\($0.name)` = \"\($0.value)\"\n" }
        let properties = flags.map { flag in
            """
            /// \(flag.doc)
            package var \(flag.name): Bool {
                switch self {
                \(entries.map { "case .\($0.name): \($0.flags.contains(flag.name))" }.joined(separator: "\n"))
                }
            }

            """
        }
        let body = (cases + properties).joined()
        let text = """
            /// \(doc)
            package enum \(names[names.count - 1]): String, CaseIterable, Sendable {
            \(body)}

            """
        return names.count > 1 ? "extension \(names[0]) {\n\(text)}\n" : text
    }

    private var pageProperty: String {
        let cases = entries.map { entry in
            "case .\(entry.name): (\(entry.page.map(EmbedTool.literal).joined(separator: ", ")))\n"
        }
        return """
            \(pages == target ? "" : "package import \(target)")

            extension \(type) {
                /// The texts of the page that explains the case.
                package var page: (\(page.map { "\($0): String" }.joined(separator: ", "))) {
                    switch self {
                    \(cases.joined())}
                }
            }

            """
    }
}
