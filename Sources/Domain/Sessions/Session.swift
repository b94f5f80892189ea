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
    /// The time of the last use of the session's token, to the minute; nil before the first use.
    package var lastSeenAt: Instant?
    /// Whether the old token may still work after a refresh, which it does at most until the new token is first used.
    package var hasOldToken = false
    /// Whether a token of the session was ever used.
    ///
    /// Until a token is used, the terminal can also connect with the app's secret.
    package var isUsed: Bool { lastSeenAt != nil }
    /// The time at which the session ended.
    package var endedAt: Instant?
    /// The reason why the session ended.
    package var endReason: EndReason?
    /// The time at which the gate reported that the terminal no longer has a connection with this session.
    ///
    /// The time stays nil if the terminal keeps its connection for the session that replaced this one.
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

    /// The longest time for which the previous token works after a refresh, in seconds.
    package static let overlapSeconds: Int64 = 60
    /// The precision of `lastSeenAt`, in seconds.
    package static let seenSeconds: Int64 = 60

    /// Returns the refusal of this session's token at a moment, or nil while the session is valid.
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
    /// Whether the terminal is notified and its connection is closed.
    ///
    /// After `replaced`, the connection belongs to the new session.
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

    /// The id of the notice; a notice with the same id is applied only once.
    package var id: MessageID
    /// The sessions that ended.
    package var scope: Scope
    /// The reason why the sessions ended.
    package var reason: Session.EndReason
    /// The moment of the end.
    ///
    /// Sessions that began later continue.
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

    /// Returns whether the notice has the time and reason of a session's recorded end.
    package func isOfEnd(of session: Session) -> Bool { session.endedAt == ts && session.endReason == reason }
}
