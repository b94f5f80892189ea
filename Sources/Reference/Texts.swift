/// The texts that are built into this target, by the names of their files.
enum Texts {
    private static let all = Dictionary(
        EmbeddedTexts.all.map { ($0.name, $0.text) },
        uniquingKeysWith: { first, _ in first }
    )

    /// Returns a text; empty where there is none of that name.
    static func text(_ name: String) -> String { all[name]?.description ?? "" }
}
