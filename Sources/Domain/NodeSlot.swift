/// A number that identifies a process among the processes that write to one database.
///
/// If several processes share a database, each process writes its slot into six bits of every number and id that the
/// process makes. Two processes thus never make equal numbers or ids.
package struct NodeSlot: Hashable, Sendable, CustomStringConvertible {
    /// The number of slots.
    package static let count = 64
    /// The slot of a service process that shares its work with no other process, and of all `lamplighter` commands.
    package static let alone = NodeSlot(trusted: 0)
    /// The slots for processes that share a database.
    package static let shared = (1..<count).map { NodeSlot(trusted: $0) }

    /// The slot's number, from 0 to 63.
    package let number: Int

    /// Makes a slot from its number (0 to 63), or returns nil for other numbers.
    package init?(_ number: Int) {
        guard (0..<Self.count).contains(number) else { return nil }
        self.number = number
    }

    private init(trusted number: Int) { self.number = number }

    package var description: String { "\(number)" }
}
