package import Domain
import Sodium

extension OAuthClient: TableRow {
    package static let table = Table<OAuthClient>("oauthClient")

    package static func map(_ column: inout ColumnMapper<OAuthClient>) -> OAuthClient {
        let redirects = { (client: OAuthClient) in client.redirects.joined(separator: " ") }
        return OAuthClient(
            id: column("clientId", \.id, as: .key),
            app: column("appId", \.app),
            name: column("name", \.name),
            redirects: column("redirects", redirects).split(separator: " ").map(String.init),
            scopes: KeyScope.split(column("scopes") { KeyScope.joined($0.scopes) }),
            secretHash: column("secretHash", \.secretHash)
        )
    }
}

extension OAuthToken: TableRow {
    package static let table = Table<OAuthToken>("oauthToken")

    package static func map(_ column: inout ColumnMapper<OAuthToken>) -> OAuthToken {
        OAuthToken(
            hash: column("tokenHash", \.hash, as: .key),
            session: column("sessionId", \.session),
            kind: column("kind", \.kind),
            expiresAt: column("expiresAt", \.expiresAt),
            usedAt: column("usedAt", \.usedAt)
        )
    }
}

/// OAuth clients, and the codes and tokens of the services that users have linked.
package struct OAuthTable: TransactionTable {
    let transaction: Transaction

    // MARK: Clients

    /// Returns one client; nil if there is no such client.
    package func client(_ id: ClientID) throws -> OAuthClient? { try sql.find(OAuthClient.table, id) }

    /// Returns the clients of one app or of all apps, sorted by name.
    package func clients(of app: AppID? = nil) throws -> [OAuthClient] {
        try sql.rows(of: OAuthClient.table, "WHERE ($1 = '' OR appId = $1) ORDER BY name, clientId", app?.text ?? "")
    }

    /// Adds a client.
    package func add(_ client: OAuthClient) throws { try sql.run(OAuthClient.table.insert, client) }

    /// Deletes a client; its sessions must already have ended.
    package func remove(_ id: ClientID) throws { try sql.run("DELETE FROM oauthClient WHERE clientId = $1", id) }

    /// Returns at most `limit` sessions of a client that have not ended.
    package func sessions(of client: ClientID, limit: Int) throws -> [Domain.Session] {
        try sql.rows(
            of: SessionRow.table,
            "WHERE clientId = $1 AND endedAt IS NULL LIMIT $2",
            client,
            limit
        ).map(\.session)
    }

    // MARK: Sessions

    /// Turns a login's session into a linked service's session, so that the login's token no longer works.
    ///
    /// The session expires at the same time as the code that the linked service gets.
    package func link(_ session: Domain.Session, to request: AuthorizationRequest) throws {
        try transaction.requireLock(of: session.uid)
        try sql.run(
            """
            UPDATE session SET clientId = $1, scopes = $2, tokenHash = $3, lastSeenAt = $4, expiresAt = $5
            WHERE sessionId = $6 AND endedAt IS NULL
            """,
            request.client.id,
            KeyScope.joined(request.scopes),
            Sodium.randomBytes(32),
            now,
            now.adding(seconds: OAuthToken.codeSeconds),
            session.id
        )
        try transaction.sessions.tellGate(session)
    }

    /// Extends a linked service's session, so that the session expires one full lifetime from now.
    package func extend(_ session: Domain.Session) throws {
        try transaction.requireLock(of: session.uid)
        let expiresAt = now.adding(seconds: OAuthToken.sessionSeconds)
        try sql.run("UPDATE session SET expiresAt = $1 WHERE sessionId = $2", expiresAt, session.id)
        try transaction.sessions.tellGate(session)
    }

    /// Returns the digest that stands for a session's token in the gate's file, or nil if the session doesn't exist.
    package func gateDigest(of session: SessionID) throws -> [UInt8]? {
        try sql.value("SELECT tokenHash FROM session WHERE sessionId = $1", session)
    }

    // MARK: Tokens

    /// Returns the session of an access token, even if the session has ended; nil if the token isn't valid.
    func session(access token: String) throws -> Domain.Session? {
        guard let found = try find(token), found.kind == .access, found.expiresAt > now else { return nil }
        return try transaction.sessions.find(found.session)
    }

    /// Returns a code or token, even if it has expired; nil if it doesn't exist or was made with another value `bound`.
    package func find(_ token: String, boundTo bound: String = "") throws -> OAuthToken? {
        try sql.find(OAuthToken.table, Sodium.sha256((token + bound).utf8))
    }

    /// Makes a code or token, and deletes the oldest if the session has too many.
    ///
    /// To find the code or token later, a caller must also give the value `bound`.
    package func make(
        _ kind: OAuthToken.Kind,
        of session: Domain.Session,
        boundTo bound: String = ""
    ) throws -> String {
        try transaction.requireLock(of: session.uid)
        let (prefix, seconds, limit) =
            switch kind {
            case .code: ("llc_", OAuthToken.codeSeconds, 1)
            case .access: (OAuthToken.accessPrefix, OAuthToken.accessSeconds, OAuthToken.accessMax)
            case .refresh: ("llr_", 100 * OAuthToken.sessionSeconds, OAuthToken.refreshMax)
            }
        let token = prefix + Sodium.randomSecret()
        let row = OAuthToken(
            hash: Sodium.sha256((token + bound).utf8),
            session: session.id,
            kind: kind,
            expiresAt: now.adding(seconds: seconds),
            usedAt: nil
        )
        try sql.run(OAuthToken.table.insert, row)
        try sql.run(
            """
            DELETE FROM oauthToken WHERE sessionId = $1 AND kind = $2 AND tokenHash NOT IN (
                SELECT tokenHash FROM oauthToken WHERE sessionId = $1 AND kind = $2
                ORDER BY expiresAt DESC, CASE WHEN tokenHash = $3 THEN 0 ELSE 1 END LIMIT $4)
            """,
            session.id,
            kind,
            row.hash,
            limit
        )
        return token
    }

    /// Marks the code and all refresh tokens of a session as used, except the token `kept`.
    package func retire(of session: SessionID, except kept: OAuthToken?) throws {
        try sql.run(
            """
            UPDATE oauthToken SET usedAt = $1
            WHERE sessionId = $2 AND kind <> 'access' AND tokenHash <> $3 AND usedAt IS NULL
            """,
            now,
            session,
            kept?.hash ?? []
        )
    }

    /// Deletes the codes and tokens of a session that ends.
    func deleteTokens(of session: SessionID) throws {
        try sql.run("DELETE FROM oauthToken WHERE sessionId = $1", session)
    }
}
