/// The user, device or other party that caused a command, an event or a record.
package struct Actor: Hashable, Sendable {
    /// The kind of an acting party.
    package enum Kind: String, Sendable {
        case user, device, schedule, service, `operator`, system
    }

    /// The kind of the party.
    package var kind: Kind
    /// The party's id within its kind.
    package var id: String
    /// The terminal from which a user or a server acted; only the user who acted sees the terminal.
    package var terminal: TerminalID?

    /// Makes an actor.
    package init(_ kind: Kind, _ id: String, terminal: TerminalID? = nil) {
        (self.kind, self.id, self.terminal) = (kind, id, terminal)
    }

    /// Returns a device as the actor.
    package static func device(_ did: DeviceID) -> Actor { Actor(.device, did.text) }
    /// The service as the actor.
    package static let system = Actor(.system, "lamplighter")
    /// The actor that replaces a user whose account was erased.
    package static let erased = Actor(.user, "erased")
}
