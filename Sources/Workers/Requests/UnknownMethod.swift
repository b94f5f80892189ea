import Domain

/// What answers a method that the contract does not have.
enum UnknownMethod {
    /// Refuses a method by its name, `InvalidRequest`.
    static func named(_ name: String) -> Method {
        let shown = name.count <= 64 ? name : "\(name.prefix(64))…"
        let rejection = Rejection(.invalidRequest, "There is no method \(shown).")
        return Method(needsToken: false, isReading: true) { _ in throw rejection }
    }
}
