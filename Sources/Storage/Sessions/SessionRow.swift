import Credentials
import Domain

/// A session with the digests of its tokens.
struct SessionRow: TableRow {
    var session: Domain.Session
    var tokenHash: [UInt8]
    /// The digest of the token before the last refresh, and when that token expires; nil once the new token was used.
    var oldTokenHash: [UInt8]?
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

    /// The session as the gate's file contains it; nil if the hash of its token is not a digest.
    var gateSession: Credentials.Session? {
        guard let token = Digest(tokenHash) else { return nil }
        let old = oldTokenHash.flatMap { Digest($0) }.map {
            OldToken(token: $0, until: oldTokenUntil?.milliseconds ?? 0)
        }
        return Credentials.Session(
            sessionId: session.id.text,
            uid: session.uid.text,
            token: token,
            expiresAt: session.expiresAt.milliseconds,
            old: old,
            isUsed: session.isUsed
        )
    }
}
