package import JSON

/// A record of an action, its actor and the account concerned, without secrets, codes or unmasked addresses.
package struct AuditEntry: Sendable, Equatable {
    /// The kind of event, an entry of `schemas/lists/audit-kinds.yaml`.
    package var kind: Kind
    /// The user whose account the action concerned, if any.
    package var uid: UserID?
    /// The app.
    package var app: AppID?
    /// The actor.
    package var actor: Actor
    /// The terminal that the action concerned, if any.
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
