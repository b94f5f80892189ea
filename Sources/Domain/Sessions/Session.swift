/// A session: a login of a user on one terminal.
///
/// The documentation describes these rules (reference: sessions#life).
package struct Session: Sendable, Equatable {
    /// The session's id.
    package var id: SessionID
    /// The user who logged in.
    package var uid: UserID
    /// The user's app.
    package var app: AppID
    /// The terminal on which the user logged in.
    package var terminal: TerminalID
    /// The terminal's platform, as reported by the app.
    package var platform: String
    /// The terminal's operating system, as reported by the app.
    package var os: String
    /// The terminal's name, as reported by the app.
    package var name: String
    /// The login time.
    package var loginTime: Instant
    /// The expiry time.
    package var expiresAt: Instant
    /// The OAuth client of a linked service, or nil for a user's own terminal.
    package var client: ClientID?
    /// The scopes of a linked service, or nil if the token allows every method.
    package var scopes: [KeyScope]?
    /// Whether the session is a grant to an OAuth client.
    ///
    /// For the terminal of a grant, the gate never accepts the app's secret, even after the session has ended.
    package var isGrant: Bool { client != nil }
    /// The time of the token's last use, to the minute, or nil if unused.
    package var lastSeenAt: Instant?
    /// Whether the previous token may still be valid.
    ///
    /// The previous token becomes invalid when the new token is first used, or after `overlapSeconds` if that is
    /// earlier.
    package var hasOldToken = false
    /// Whether a token of the session has ever been used.
    ///
    /// Before the first use, the terminal can also connect with the app's secret.
    package var isUsed: Bool { lastSeenAt != nil }
    /// The time at which the session ended.
    package var endedAt: Instant?
    /// The reason why the session ended.
    package var endReason: EndReason?
    /// The time at which all connections of the ended session were closed, as reported by the gate.
    ///
    /// If a new session replaces this session on the same connection, the time stays nil.
    package var cutOffAt: Instant?

    /// Begins a session.
    package init(
        id: SessionID,
        uid: UserID,
        app: AppID,
        terminal: TerminalID,
        platform: String,
        os: String,
        name: String,
        loginTime: Instant,
        expiresAt: Instant
    ) {
        self.id = id
        self.uid = uid
        self.app = app
        self.terminal = terminal
        self.platform = platform
        self.os = os
        self.name = name
        self.loginTime = loginTime
        self.expiresAt = expiresAt
    }

    /// Whether the session belongs to a user's Home Assistant.
    package var isLink: Bool { id.text.utf8.starts(with: "l-".utf8) }
    /// The platform of a session that belongs to a user's Home Assistant.
    package static let linkPlatform = "homeAssistant"
    /// Returns the id of the session of a user's Home Assistant.
    ///
    /// The session id contains the terminal's id, because the gate derives the terminal from the session id.
    package static func linkID(on terminal: TerminalID) -> SessionID { SessionID(trusted: "l-\(terminal.text)") }

    /// The expiry time of a Home Assistant's session: the beginning of the year 9999.
    ///
    /// In practice, such a session never expires. The time is in the year 9999 because all programs can show that year.
    package static let linkEnd = Instant(milliseconds: 253_370_764_800_000)

    /// Whether the session belongs to a linked program (a Home Assistant or an OAuth client) and not to an app.
    ///
    /// The user can end such a session with `session/unlink`.
    package var isLinked: Bool { isLink || isGrant }

    /// The longest time for which the previous token works after a refresh, in seconds.
    package static let overlapSeconds: Int64 = 60
    /// The precision of `lastSeenAt`, in seconds.
    package static let seenSeconds: Int64 = 60

    /// Returns the refusal of this session's token, or nil if the session is valid.
    package func refusal(at now: Instant) -> Rejection? {
        let reason: EndReason
        if endedAt != nil {
            reason = endReason ?? .loggedOut
        } else if expiresAt <= now {
            reason = .expired
        } else {
            return nil
        }
        return Rejection(.invalidToken, "The session has ended; log in again.", field: "token", reason: reason.rawValue)
    }
}

/// The reasons for a session's end, as listed in `schemas/lists/session-ends.yaml`.
extension Session.EndReason {
    /// Whether the terminal is notified and disconnected.
    ///
    /// The result is false for `replaced`, because the new session uses the same terminal.
    package var isToldToTerminal: Bool { self != .replaced }
}

/// A notice that sessions have ended, sent by a worker or an identity provider.
package struct SessionNotice: Sendable, Equatable {
    /// The sessions that ended.
    package enum Scope: Sendable, Equatable {
        case session(SessionID)
        case terminal(AppID, TerminalID)
        case user(UserID, except: TerminalID?)
    }

    /// The notice's id, which is used to recognise and ignore a repeated notice.
    package var id: MessageID
    /// The sessions that ended.
    package var scope: Scope
    /// The reason why the sessions ended.
    package var reason: Session.EndReason
    /// The moment of the end; sessions that began after this moment continue.
    package var ts: Instant
    /// The actor that ended the sessions.
    package var actor: Actor

    /// Makes a notice.
    package init(id: MessageID, scope: Scope, reason: Session.EndReason, ts: Instant, actor: Actor) {
        self.id = id
        self.scope = scope
        self.reason = reason
        self.ts = ts
        self.actor = actor
    }

    /// Returns whether the notice contains the time and reason recorded for a session's end.
    package func isOfEnd(of session: Session) -> Bool { session.endedAt == ts && session.endReason == reason }
}
