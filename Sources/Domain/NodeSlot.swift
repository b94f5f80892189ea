/// The place of a process among those that write to one database; it keeps their numbers and ids apart.
///
/// Six bits of numbers and ids hold it.
package struct NodeSlot: Hashable, Sendable, CustomStringConvertible {
    /// The number of slots.
    package static let count = 64
    /// The slot of a process that writes alone, and of commands that write beside others.
    package static let alone = NodeSlot(trusted: 0)
    /// The slots for processes that share a database.
    package static let shared = (1..<count).map { NodeSlot(trusted: $0) }

    /// The number, 0 to 63.
    package let number: Int

    /// Takes a number; nil if it is not 0 to 63.
    package init?(_ number: Int) {
        guard (0..<Self.count).contains(number) else { return nil }
        self.number = number
    }

    private init(trusted number: Int) { self.number = number }

    package var description: String { "\(number)" }
}
