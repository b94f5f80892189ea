import Domain
import Storage
import Wire

/// The limits of queued commands: their number per device, and the size of each.
enum CommandQueueLimits {
    /// The refusal if no more commands may wait.
    static let full = Rejection(.tooManyRequests, "Too many commands wait for the device already.", retryAfter: 60)

    /// Room for changes by merging, and for the fields that the log of commands adds, in bytes.
    private static let reserve = 2048

    /// Returns whether a device with `waiting` queued commands has room for one more.
    static func hasRoom(beside waiting: Int, in limits: Limits) -> Bool { waiting < limits.queuedPerDevice }

    /// Returns the queued commands that a new command replaces, ended; empty while there is room for all.
    ///
    /// Queued commands are sent as one message, so they have to fit into one.
    /// - Throws: `Rejection` if there is no room.
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
                "Together with the queued commands the device would be set more than "
                    + "\(FreeForm.attributesMax) attributes at once."
            )
        }
        try check(outgoing)
        return replaced
    }

    /// Checks that each command fits into a message.
    ///
    /// - Throws: `Rejection`.
    static func check(_ commands: [Command]) throws {
        let isLarge = commands.contains { CommandCodec.encode($0, at: $0.createdAt).count > Payload.bytesMax - reserve }
        guard isLarge else { return }
        throw Rejection.invalid("params.data", "The command is larger than one message.")
    }
}
