/// An error of OAuth 2.0, with a code of RFC 6749.
package struct OAuthError: Error, Equatable, Sendable {
    /// The code, such as `invalid_grant`.
    package let code: String
    /// A description for the client's developer, without the characters that RFC 6749 excludes.
    package let text: String

    /// Makes an error.
    package init(_ code: String, _ text: String) { (self.code, self.text) = (code, text) }

    /// The error for a temporary failure, for example because the disk is almost full.
    package static let away = OAuthError("temporarily_unavailable", "The service can't do this now; try again later.")

    /// The HTTP status of the error at an endpoint.
    package var httpStatus: Int { ["invalid_client": 401, Self.away.code: 503][code] ?? 400 }
}

/// The parameters of a request to an OAuth endpoint, where RFC 6749 allows each parameter only once.
package struct OAuthParameters: Sendable {
    private let pairs: [(name: String, value: String)]

    /// Takes the parameters of a query or a form; a parameter with an empty value counts as absent.
    package init(_ pairs: [(name: String, value: String)]) { self.pairs = pairs }

    /// Returns a parameter's value, or nil if the parameter is absent.
    package subscript(name: String) -> String? { pairs.first { $0.name == name && !$0.value.isEmpty }?.value }

    /// Returns a parameter's value.
    ///
    /// - Throws: `OAuthError` if the parameter is absent.
    package func required(_ name: String) throws(OAuthError) -> String {
        guard let value = self[name] else { throw OAuthError("invalid_request", "The parameter \(name) is missing.") }
        return value
    }

    /// Returns whether a parameter appears more than once.
    func isRepeated(_ name: String) -> Bool { pairs.count { $0.name == name } > 1 }

    /// Refuses a request in which a parameter appears more than once.
    package func checkOnce() throws(OAuthError) {
        guard pairs.contains(where: { isRepeated($0.name) }) else { return }
        throw OAuthError("invalid_request", "A parameter appears more than once.")
    }

    /// Returns the requested scopes, or all allowed scopes if the request names no scopes.
    ///
    /// - Throws: `OAuthError` if a scope is unknown or not allowed.
    package func scopes(among allowed: [KeyScope]) throws(OAuthError) -> [KeyScope] {
        guard let texts = self["scope"]?.split(separator: " ").map(String.init) else { return allowed }
        let scopes = allowed.filter { texts.contains($0.text) }
        guard !texts.isEmpty, scopes.count == Set(texts).count else {
            throw OAuthError("invalid_scope", "The scopes can be \(KeyScope.joined(allowed)).")
        }
        return scopes
    }
}
