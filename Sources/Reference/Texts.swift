/// The texts built into this target, by the names of their files.
enum Texts {
    private static let all = Dictionary(
        EmbeddedTexts.all.map { ($0.name, $0.text) },
        uniquingKeysWith: { first, _ in first }
    )

    /// Returns a text by name; empty for an unknown name.
    static func text(_ name: String) -> String { all[name]?.description ?? "" }
}
