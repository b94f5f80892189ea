import Domain
import Wire

/// What answers a method that the contract does not have.
enum UnknownMethod {
    /// Refuses a method, `InvalidRequest`, and keeps nothing of it.
    ///
    /// It is named only where it reads like a method's name: anything else may be a secret that stands in
    /// the wrong place.
    static func named(_ name: String) -> Method {
        let levels = name.split(separator: "/", omittingEmptySubsequences: false)
        let isShown = levels.count == 2 && levels.allSatisfy(Topics.isMethodWord)
        let rejection = Rejection(
            .invalidRequest,
            isShown ? "There is no method \(name)." : "There is no such method."
        )
        return Method(needsToken: false, isReading: true, isKnown: false) { _ in throw rejection }
    }
}
