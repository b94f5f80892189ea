/// The texts that are built into this target, by the names of their files.
enum Texts {
    private static let all = Dictionary(
        EmbeddedTexts.all.map { ($0.name, $0.text) },
        uniquingKeysWith: { first, _ in first }
    )

    /// Returns a text; empty where there is none of that name.
    static func text(_ name: String) -> String { all[name]?.description ?? "" }

    /// The names of the texts of one kind (`md`), in alphabetical order, without it.
    static func names(of kind: String) -> [String] {
        all.keys.filter { $0.hasSuffix("." + kind) }
            .map { String($0.dropLast(kind.count + 1)) }.sorted()
    }
}
