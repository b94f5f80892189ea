/// A login on one terminal.
///
/// The rules in words (reference: sessions#life).
package struct Session: Sendable, Equatable {
    /// The session's id.
    package var id: SessionID
    /// The user who logged in.
    package var uid: UserID
    /// The app.
    package var app: AppID
    /// The terminal.
    package var terminal: TerminalID
    /// The terminal's platform, as the app says.
    package var platform: String
    /// The terminal's operating system, as the app says.
    package var os: String
    /// The terminal's name, as the app says.
    package var name: String
    /// The login time.
    package var loginTime: Instant
    /// The expiry time.
    package var expiresAt: Instant
    /// The time of its token's last use, to the minute; nil before the first.
    package var lastSeenAt: Instant?
    /// Whether the token before the last refresh may still work, until the new one is used.
    package var hasOldToken = false
    /// Whether a token of the session was ever used; until then the app's secret connects as the terminal too.
    package var isUsed: Bool { lastSeenAt != nil }
    /// The time at which it ended.
    package var endedAt: Instant?
    /// The reason why it ended.
    package var endReason: EndReason?
    /// The time at which the gate reported that the terminal has no connection with it any more; nil until then, and if
    /// the terminal keeps its connection for the session that replaced it.
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

    /// The longest time for which a refreshed token's predecessor works, in seconds.
    package static let overlapSeconds: Int64 = 60
    /// The precision of `lastSeenAt`, in seconds.
    package static let seenSeconds: Int64 = 60

    /// Returns the refusal of a token of this session at a moment; nil while it is valid.
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

/// The reasons are the entries of `schemas/lists/session-ends.yaml`.
extension Session.EndReason {
    /// Whether the terminal is notified and its connection closed; after `replaced` the connection belongs to the new
    /// session.
    package var isToldToTerminal: Bool { self != .replaced }
}

/// A notice that sessions have ended, from a worker or an identity provider.
package struct SessionNotice: Sendable, Equatable {
    /// The sessions that ended.
    package enum Scope: Sendable, Equatable {
        case session(SessionID)
        case terminal(AppID, TerminalID)
        case user(UserID, except: TerminalID?)
    }

    /// The id under which it is applied once.
    package var id: MessageID
    /// The sessions that ended.
    package var scope: Scope
    /// The reason.
    package var reason: Session.EndReason
    /// The moment of the end; sessions that began later continue.
    package var ts: Instant
    /// The actor that ended the sessions.
    package var actor: Actor

    /// Makes a notice.
    package init(
        id: MessageID,
        scope: Scope,
        reason: Session.EndReason,
        ts: Instant,
        actor: Actor
    ) {
        self.id = id
        self.scope = scope
        self.reason = reason
        self.ts = ts
        self.actor = actor
    }

    /// Returns whether it is the notice of a session's recorded end.
    package func isOfEnd(of session: Session) -> Bool { session.endedAt == ts && session.endReason == reason }
}
