import Domain
import Wire

/// The refusal of requests for unknown methods.
enum UnknownMethod {
    /// Returns a method that refuses its request with `InvalidRequest`.
    ///
    /// The answer repeats only a name that has the form of a method's name. Any other text may be a misplaced secret.
    static func named(_ name: String) -> Method {
        let levels = name.split(separator: "/", omittingEmptySubsequences: false)
        let isShown = levels.count == 2 && levels.allSatisfy(Topics.isMethodWord)
        let rejection = Rejection(.invalidRequest, isShown ? "There is no method \(name)." : "There is no such method.")
        return Method(needsToken: false, isReading: true, isKnown: false) { _ in throw rejection }
    }
}
