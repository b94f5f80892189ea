/// Who caused a command, an event or a record.
package struct Actor: Hashable, Sendable {
    /// What kind of party acts.
    package enum Kind: String, Sendable {
        case user, device, schedule, `operator`, system
    }

    /// What kind of party it is.
    package var kind: Kind
    /// The party's id within its kind.
    package var id: String
    /// The terminal that a user acted from; shown to that user alone.
    package var terminal: TerminalID?

    /// Names an actor.
    package init(_ kind: Kind, _ id: String, terminal: TerminalID? = nil) {
        self.kind = kind
        self.id = id
        self.terminal = terminal
    }

    /// A device acting by itself.
    package static func device(_ did: DeviceID) -> Actor { Actor(.device, did.text) }
    /// The service acting by itself.
    package static let system = Actor(.system, "lamplighter")
    /// A user whose account was erased.
    package static let erased = Actor(.user, "erased")
}
