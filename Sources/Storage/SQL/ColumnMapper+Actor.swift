import Domain

extension ColumnMapper {
    /// Maps the three columns of an actor: the actor's kind, id and terminal.
    mutating func actor(_ actor: (Record) -> Actor) -> Actor {
        Actor(
            self("actorKind") { actor($0).kind },
            self("actorId") { actor($0).id },
            terminal: self("actorTerminal") { actor($0).terminal }
        )
    }
}
