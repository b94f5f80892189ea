import Credentials
import Domain

/// A session with the digests of its tokens.
struct SessionRow: TableRow {
    var session: Domain.Session
    var tokenHash: [UInt8]
    /// The digest of the replaced token, or nil before a refresh and after the new token's first use.
    var oldTokenHash: [UInt8]?
    /// When the replaced token expires, or nil if there is no replaced token.
    var oldTokenUntil: Instant?

    static let table = Table<SessionRow>("session")

    static func map(_ column: inout ColumnMapper<SessionRow>) -> SessionRow {
        var session = Domain.Session(
            id: column("sessionId", \.session.id, as: .key),
            uid: column("uid", \.session.uid),
            app: column("appId", \.session.app),
            terminal: column("terminalId", \.session.terminal),
            platform: column("platform", \.session.platform),
            os: column("os", \.session.os),
            name: column("name", \.session.name),
            loginTime: column("loginTime", \.session.loginTime),
            expiresAt: column("expiresAt", \.session.expiresAt)
        )
        session.lastSeenAt = column("lastSeenAt", \.session.lastSeenAt)
        session.endedAt = column("endedAt", \.session.endedAt)
        session.endReason = column("endReason", \.session.endReason)
        session.cutOffAt = column("cutOffAt", \.session.cutOffAt)
        session.client = column("clientId", \.session.client)
        session.scopes = column("scopes") { $0.session.scopes.map(KeyScope.joined) }.map(KeyScope.split)
        let tokenHash = column("tokenHash", \.tokenHash)
        let oldTokenHash = column("oldTokenHash", \.oldTokenHash)
        session.hasOldToken = oldTokenHash != nil
        return SessionRow(
            session: session,
            tokenHash: tokenHash,
            oldTokenHash: oldTokenHash,
            oldTokenUntil: column("oldTokenUntil", \.oldTokenUntil)
        )
    }

    /// The session for the gate's file, or nil if its token's hash is invalid.
    ///
    /// Even after the session of a linked service has ended, the gate keeps the session. The gate treats this session
    /// as an ended API key. Because of this session, the gate never admits a client that uses the app's secret on the
    /// session's terminal.
    var gateSession: Credentials.Session? {
        guard let token = Digest(tokenHash) else { return nil }
        let old = oldTokenHash.flatMap { Digest($0) }.map {
            OldToken(token: $0, until: oldTokenUntil?.milliseconds ?? 0)
        }
        return Credentials.Session(
            sessionId: session.id.text,
            uid: session.endedAt == nil ? session.uid.text : session.id.text,
            token: token,
            expiresAt: session.endedAt == nil ? session.expiresAt.milliseconds : 0,
            old: old,
            isUsed: session.isUsed
        )
    }
}
