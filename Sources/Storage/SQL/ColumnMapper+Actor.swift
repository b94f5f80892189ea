import Domain

extension ColumnMapper {
    /// Describes the three columns of an actor: its kind, its id and the terminal.
    mutating func actor(_ actor: (Record) -> Actor) -> Actor {
        Actor(
            self("actorKind") { actor($0).kind },
            self("actorId") { actor($0).id },
            terminal: self("actorTerminal") { actor($0).terminal }
        )
    }
}
