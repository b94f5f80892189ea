package import Domain
import Sodium
import Storage
import Wire

/// The authorization server of OAuth 2.0.
///
/// Each linked service has a session, which ends like any other session (reference: oauth#session).
package struct OAuthService: Sendable {
    private let environment: Environment
    private let blocking: BlockingPool

    /// Creates the service in the environment of the workers.
    package init(_ environment: Environment) {
        self.environment = environment
        blocking = BlockingPool(max: environment.limits.pagesAtOnce)
    }

    /// The server's URL.
    package var issuer: String { environment.publicURL }

    /// The credentials of a client in the header `Authorization`.
    package typealias Basic = (id: String, secret: String)
    /// New tokens, without a refresh token if the client keeps its old one.
    package typealias Tokens = (access: String, refresh: String?, scopes: [KeyScope])

    /// Returns a client, its app, and the digest of the app's secret, or nil if the client or its app is unknown.
    package func known(_ id: String) async throws -> (client: OAuthClient, app: App, appSecret: [UInt8])? {
        try await blocking.run {
            try environment.store.read { tx in
                guard let client = try ClientID(id).flatMap({ try tx.oauth.client($0) }),
                    let app = try tx.apps.find(client.app)
                else { return nil }
                return (client, app, try tx.apps.secretHash(app.id))
            }
        }
    }

    /// Links a client to a session, and returns a code, or nil if the session has ended meanwhile.
    package func link(_ session: SessionID, to request: AuthorizationRequest) async throws -> String? {
        try await write { work in
            guard let session = try work.tx.lockedSession(session), session.endedAt == nil else { return nil }
            try work.tx.oauth.link(session, to: request)
            let bound = Self.bound(request.redirect, request.challenge)
            return try work.tx.oauth.make(.code, of: session, boundTo: bound)
        }
    }

    /// Returns the text that binds a code to its redirect URL and challenge.
    private static func bound(_ redirect: String, _ challenge: String?) -> String { " \(redirect) \(challenge ?? "")" }

    // MARK: Endpoints

    /// Answers a request to the token endpoint.
    ///
    /// The session ends if a code or a replaced refresh token is used again. That code or token may have been stolen.
    ///
    /// - Throws: `OAuthError`, or an error of the store.
    package func token(_ parameters: OAuthParameters, _ basic: Basic?) async throws -> Tokens {
        let client = try await client(parameters, basic)
        guard !environment.disk.isLow else { throw OAuthError.away }
        let kinds = ["authorization_code": OAuthToken.Kind.code, "refresh_token": .refresh]
        guard let kind = kinds[try parameters.required("grant_type")] else {
            throw OAuthError("unsupported_grant_type", "The grant_type must be authorization_code or refresh_token.")
        }
        let secret = try parameters.required(kind == .code ? "code" : "refresh_token")
        let challenge = parameters["code_verifier"].map { Sodium.base64URL(Sodium.sha256($0.utf8)) }
        let bound = kind == .code ? Self.bound(try parameters.required("redirect_uri"), challenge) : ""
        let tokens = try await write { work -> Tokens? in
            guard let (token, session) = try live(secret, bound, of: client, in: &work), token.kind == kind else {
                return nil
            }
            if token.usedAt != nil {
                try SessionLifecycle.end(session, because: .tokenReplayed, by: .system, in: &work)
                return nil
            }
            let (scopes, oauth) = (session.scopes ?? [], work.tx.oauth)
            if kind == .refresh { _ = try parameters.scopes(among: scopes) }
            try oauth.extend(session)
            let isNew = kind == .code || client.secretHash == nil
            if isNew { try oauth.retire(of: session.id, except: kind == .code ? nil : token) }
            return (try oauth.make(.access, of: session), isNew ? try oauth.make(.refresh, of: session) : nil, scopes)
        }
        guard let tokens else {
            throw OAuthError(
                "invalid_grant",
                "The code or refresh token is wrong, used, expired or issued to another client, or redirect_uri or "
                    + "code_verifier doesn't match the code."
            )
        }
        return tokens
    }

    /// Ends the session of a token that belongs to the client (RFC 7009).
    ///
    /// - Throws: `OAuthError`, or an error of the store.
    package func revoke(_ parameters: OAuthParameters, _ basic: Basic?) async throws {
        let client = try await client(parameters, basic)
        let secret = try parameters.required("token")
        try await write { work in
            guard let (_, session) = try live(secret, "", of: client, in: &work) else { return }
            try SessionLifecycle.end(session, because: .loggedOut, by: Actor(.service, client.name), in: &work)
        }
    }

    /// Returns a client's code or token with its session, and locks the user.
    ///
    /// The result is nil if the session has ended or belongs to another client.
    private func live(
        _ secret: String,
        _ bound: String,
        of client: OAuthClient,
        in work: inout UnitOfWork
    ) throws -> (OAuthToken, Session)? {
        guard let found = try work.tx.oauth.find(secret, boundTo: bound),
            let session = try work.tx.lockedSession(found.session), session.client == client.id,
            session.refusal(at: work.now) == nil, let token = try work.tx.oauth.find(secret, boundTo: bound)
        else { return nil }
        return (token, session)
    }

    /// Returns the client that sent a request, after checking the client's secret.
    private func client(_ parameters: OAuthParameters, _ basic: Basic?) async throws -> OAuthClient {
        try parameters.checkOnce()
        let (id, secret) = (parameters["client_id"], parameters["client_secret"])
        guard basic == nil || secret == nil && (id == nil || id == basic?.id) else {
            throw OAuthError("invalid_request", "The client identifies itself in two ways.")
        }
        let given = (basic?.secret ?? secret).map { Sodium.sha256($0.utf8) }
        guard let client = try await known(basic?.id ?? id ?? "")?.client,
            given.map({ Sodium.areEqual($0, client.secretHash ?? []) }) ?? (client.secretHash == nil)
        else { throw OAuthError("invalid_client", "The client is unknown, or its secret is wrong.") }
        return client
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (inout UnitOfWork) throws -> Value
    ) async throws -> Value {
        try await blocking.run { try environment.work(publishedBy: .session, body) }
    }
}
