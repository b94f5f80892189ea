package import Domain
package import JSON
package import Storage
import Wire

/// The JSON form of users and their sessions in the console's interface.
package enum UserView {
    /// The maximum number of sessions of a user that are shown.
    static let sessionsMax = 200
    /// The maximum number of audit lines that are searched to find out who ended a user's sessions.
    static let auditMax = 1_000

    /// Returns users as rows of the list (`UserRow`), masking addresses unless `isOpen`.
    static func rows(_ users: [User], isOpen: Bool = false, in tx: Transaction) throws -> [JSONObject] {
        let seen = try tx.accounts.lastSeen(users.map(\.uid))
        return users.map { row($0, isOpen: isOpen, seenAt: seen[$0.uid]) }
    }

    private static func row(_ user: User, isOpen: Bool, seenAt: Instant?) -> JSONObject {
        func shown(_ text: String?) -> String? {
            text.map { isOpen ? $0 : MaskedAddress.text($0) }
        }
        return JSONObject(showing: [
            "uid": user.uid, "appId": user.app, "region": user.region, "countryCode": user.countryCode,
            "anonymous": user.isAnonymous, "name": name(user, isOpen: isOpen), "email": shown(user.email?.text),
            "emailVerified": user.isEmailVerified, "phone": shown(user.phone?.text),
            "phoneVerified": user.isPhoneVerified, "hasPassword": user.passwordHash != nil, "providers": user.providers,
            "createdAt": user.createdAt, "lastSeenAt": seenAt,
        ])
    }

    /// Returns a user's name, which is masked if it is an address and `isOpen` is false.
    static func name(_ user: User, isOpen: Bool) -> String {
        guard let name = user.username ?? user.externalUID else { return "" }
        let isAddress = name.contains("@") || Phone.isLike(name)
        return isAddress && !isOpen ? MaskedAddress.text(name) : name
    }

    private static func row(_ session: Session, endedBy actor: Actor?) -> JSONObject {
        JSONObject(showing: [
            "sessionId": session.id, "uid": session.uid, "appId": session.app, "terminalId": session.terminal,
            "platform": session.platform, "os": session.os, "name": session.name, "loginTime": session.loginTime,
            "lastSeenAt": session.lastSeenAt ?? session.loginTime, "expiresAt": session.expiresAt,
            "endedAt": session.endedAt, "endReason": session.endReason?.rawValue,
            "endedBy": actor, "cutOffAt": session.cutOffAt,
        ])
    }

    /// Returns a user's sessions: first the open ones, then the ended ones, both from new to old.
    static func sessions(of uid: UserID, in tx: Transaction) throws -> [JSONObject] {
        let all = try tx.sessions.log(of: uid, limit: sessionsMax)
        let sorted = all.filter { $0.endedAt == nil } + all.filter { $0.endedAt != nil }
        return try rows(of: sorted, in: tx)
    }

    /// Returns a page with the newest open sessions of all users.
    package static func newestSessions(_ limit: Int, in tx: Transaction) throws -> JSONObject {
        Shown.page(try tx.sessions.newest(limit: limit).map { row($0, endedBy: nil) })
    }

    /// Returns a session as JSON (`Session`).
    static func session(_ session: Session, in tx: Transaction) throws -> JSONObject {
        try rows(of: [session], in: tx).first ?? row(session, endedBy: nil)
    }

    /// Returns a user's sessions as JSON, with the actor who ended each ended session, from the audit trail.
    private static func rows(of sessions: [Session], in tx: Transaction) throws -> [JSONObject] {
        guard let ended = sessions.first(where: { $0.endedAt != nil }) else {
            return sessions.map { row($0, endedBy: nil) }
        }
        let ends = try tx.audit.newest(of: ended.uid, limit: auditMax)
            .filter { $0.kind == .sessionEnded }
        return sessions.map { session in
            let line = ends.first { $0.terminal == session.terminal && $0.at == session.endedAt }
            return row(session, endedBy: session.endedAt == nil ? nil : line?.actor)
        }
    }

    /// Returns the data that keeps a user's open page up to date (`UserChange`), or nil if the user doesn't exist.
    package static func change(_ uid: UserID, in tx: Transaction) throws -> JSONObject? {
        guard try tx.accounts.find(uid) != nil else { return nil }
        let sessions = try sessions(of: uid, in: tx)
        return JSONObject(showing: ["uid": uid, "sessions": sessions])
    }
}
