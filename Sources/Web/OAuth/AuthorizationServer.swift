package import Domain

/// A client, its app, and the digest of the app's secret.
///
/// With this digest, the gate admits the requests that the authorization page sends.
package typealias KnownClient = (client: OAuthClient, app: App, appSecret: [UInt8])

/// The functions of the authorization server that need the store.
///
/// `Web` itself has no access to the store.
package protocol AuthorizationServer: Sendable {
    /// The server's URL.
    var issuer: String { get }
    /// Returns a client, or nil if the client or its app doesn't exist.
    func known(_ id: String) async throws -> KnownClient?
    /// Links a client to a session, and returns the authorization code, or nil if the session has already ended.
    func link(_ session: SessionID, to request: AuthorizationRequest) async throws -> String?
    /// Answers a request to the token endpoint.
    ///
    /// If the answer contains no refresh token, the client keeps its old refresh token.
    func token(
        _ parameters: OAuthParameters,
        _ basic: (id: String, secret: String)?
    ) async throws -> (access: String, refresh: String?, scopes: [KeyScope])
    /// Answers a request to the revocation endpoint.
    func revoke(_ parameters: OAuthParameters, _ basic: (id: String, secret: String)?) async throws
}
