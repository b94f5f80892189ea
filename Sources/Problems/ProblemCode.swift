/// The codes of problems are defined in `schemas/lists/problems.yaml`.
extension ProblemCode {
    /// Finds a problem's code, written as `LL1003`, `ll1003` or `1003`.
    package init?(named text: String) {
        let upper = text.uppercased()
        guard let code = Self(rawValue: upper.hasPrefix("LL") ? upper : "LL" + upper) else { return nil }
        self = code
    }
}
