import Domain
import Storage
import Wire

/// The limits on queued commands: the number for each device, and the size of each command.
enum CommandQueueLimits {
    /// The refusal of a command when the device has too many queued commands.
    static let full = Rejection(.tooManyRequests, "Too many commands are waiting for the device.", retryAfter: 60)

    /// The number of bytes that stay free in a message, for merged commands and the command log's fields.
    private static let reserve = 2048

    /// Returns whether one more command can be queued for a device that has `waiting` queued commands.
    static func hasRoom(beside waiting: Int, in limits: Limits) -> Bool { waiting < limits.queuedPerDevice }

    /// Returns the queued commands that newer commands replace, with their state changed to `superseded`.
    ///
    /// While the queue has room, no command is replaced, and the result is empty.
    ///
    /// Queued commands are merged before sending, so each merged command must fit a message.
    /// - Throws: `Rejection` if the queue is full, or merged commands have too many bytes or attributes.
    static func replaced(by command: Command, _ state: DispatchState, in work: UnitOfWork) throws -> [Command] {
        if state.isFirst { return [] }
        let waiting = try work.tx.commands.waiting(command.did).filter { !$0.isOver(at: work.now) }
        let isFull = !hasRoom(beside: waiting.count, in: work.limits)
        let replaced = isFull ? CommandRules.replaced(waiting + [command], at: work.now) : []
        guard hasRoom(beside: waiting.count - replaced.count, in: work.limits) else { throw full }
        let outgoing = CommandRules.merged(waiting + [command], at: work.now).outgoing
        guard outgoing.allSatisfy({ $0.valueCount <= FreeForm.attributesMax }) else {
            throw Rejection.invalid(
                "params.data",
                "Together with the queued commands, this command would set more than "
                    + "\(FreeForm.attributesMax) attributes of the device at once."
            )
        }
        try check(outgoing)
        return replaced
    }

    /// Checks that each command fits into a message; otherwise throws `Rejection`.
    static func check(_ commands: [Command]) throws {
        let isLarge = commands.contains { CommandCodec.encode($0, at: $0.createdAt).count > Payload.bytesMax - reserve }
        guard isLarge else { return }
        throw Rejection.invalid("params.data", "The command is larger than one message.")
    }
}
