/// A login on one terminal.
///
/// The rules in words (reference: sessions#life).
package struct Session: Sendable, Equatable {
    /// Why a session ended; `endReason` of `schemas/methods/session.schema.json`, which a test compares.
    package enum EndReason: String, Sendable, CaseIterable {
        /// The user logged out on this terminal; an anonymous user that the app discards then, on all.
        case loggedOut
        /// The user ended it from another terminal, became a named user there, or took back a change of address.
        case terminated
        /// Its time was over.
        case expired
        /// The user changed the password on another terminal.
        case passwordChanged
        /// The password was reset by code or mail.
        case passwordReset
        /// The account is to be erased.
        case accountCancelled
        /// A new login on the same terminal; the terminal is not told.
        case replaced
        /// An operator or the maker's identity service ended it.
        case `operator`

        /// Whether the terminal is told, and its connection closed: after `replaced` it belongs to the new session.
        package var isToldToTerminal: Bool { self != .replaced }
    }

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
    /// When the login happened.
    package var loginTime: Instant
    /// When the session ends by itself.
    package var expiresAt: Instant
    /// When its token was used last, to the minute; nil before the first time.
    package var lastSeenAt: Instant?
    /// Whether the token before the last refresh may still work: until the new one is used.
    package var hasOldToken = false
    /// Whether a token of it was ever used: until then the app's secret connects as the terminal too.
    package var isUsed: Bool { lastSeenAt != nil }
    /// When it ended.
    package var endedAt: Instant?
    /// Why it ended.
    package var endReason: EndReason?
    /// When the gate said that the terminal has no connection with it any more; nil until then, and where the terminal
    /// keeps its connection for the session that replaced it.
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

    /// How long a refreshed token's predecessor works at most, in seconds.
    package static let overlapSeconds: Int64 = 60
    /// How exact `lastSeenAt` is, in seconds.
    package static let seenSeconds: Int64 = 60

    /// Returns why a token of this session is refused at a moment; nil while it is valid.
    package func refusal(at now: Instant) -> Rejection? {
        let reason: EndReason
        if endedAt != nil {
            reason = endReason ?? .loggedOut
        } else if expiresAt <= now {
            reason = .expired
        } else {
            return nil
        }
        return Rejection(
            .invalidToken,
            "The session has ended; log in again.",
            field: "token",
            reason: reason.rawValue
        )
    }
}

/// A notice that a session ended, from the worker that ended it.
package struct SessionNotice: Sendable, Equatable {
    /// The sessions that ended.
    package enum Scope: Sendable, Equatable {
        case session(SessionID)
        case terminal(AppID, TerminalID)
        case user(UserID, except: TerminalID?)
    }

    /// Applied once under this id.
    package var id: MessageID
    /// The sessions that ended.
    package var scope: Scope
    /// The reason.
    package var reason: Session.EndReason
    /// Only sessions begun at or before this moment are meant.
    package var ts: Instant
    /// The actor that ended them.
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
    package func isOfEnd(of session: Session) -> Bool {
        session.endedAt == ts && session.endReason == reason
    }
}
