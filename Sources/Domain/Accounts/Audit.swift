package import JSON

/// An audit entry: an action, its actor and the account, with addresses masked, and without secrets and codes.
package struct AuditEntry: Sendable, Equatable {
    /// The kind of event, an entry of `schemas/lists/audit-kinds.yaml`.
    package var kind: Kind
    /// The user whose account the action concerned; nil if the action concerned no user's account.
    package var uid: UserID?
    /// The app.
    package var app: AppID?
    /// The actor.
    package var actor: Actor
    /// The terminal that the action concerned; nil if the action concerned no terminal.
    package var terminal: TerminalID?
    /// Further details for an operator, in a few words.
    package var detail: String?
    /// The subject of an operator's action, such as `device d-1`.
    package var subject: String?
    /// The state of the subject before the action, without secrets.
    package var before: JSONValue?
    /// The state of the subject after the action, without secrets.
    package var after: JSONValue?
    /// The time of the action, which the store fills in.
    package var at = Instant(milliseconds: 0)

    /// Makes an entry.
    package init(
        kind: Kind,
        uid: UserID?,
        app: AppID?,
        actor: Actor,
        terminal: TerminalID? = nil,
        detail: String? = nil
    ) {
        self.kind = kind
        self.uid = uid
        self.app = app
        self.actor = actor
        self.terminal = terminal
        self.detail = detail
    }
}
