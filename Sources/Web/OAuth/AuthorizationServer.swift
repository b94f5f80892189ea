package import Domain

/// A client, its app, and the digest that admits the authorization page's requests.
package typealias KnownClient = (client: OAuthClient, app: App, appSecret: [UInt8])

/// The authorization server's functions that need the store, to which `Web` has no access.
package protocol AuthorizationServer: Sendable {
    /// The server's URL.
    var issuer: String { get }
    /// Returns a client, or nil if the client or its app doesn't exist.
    func known(_ id: String) async throws -> KnownClient?
    /// Links a client to a session, and returns the authorization code, or nil if the session has already ended.
    func link(_ session: SessionID, to request: AuthorizationRequest) async throws -> String?
    /// Answers a request to the token endpoint.
    ///
    /// Without a refresh token in the answer, the client keeps its old one.
    func token(
        _ parameters: OAuthParameters,
        _ basic: (id: String, secret: String)?
    ) async throws -> (access: String, refresh: String?, scopes: [KeyScope])
    /// Answers a request to the revocation endpoint.
    func revoke(_ parameters: OAuthParameters, _ basic: (id: String, secret: String)?) async throws
}
