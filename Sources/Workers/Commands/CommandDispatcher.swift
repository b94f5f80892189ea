import Batching
package import Domain
import Storage
import Wire

/// The sender of all commands, which also creates the commands of apps and operators.
///
/// `TriggerBatch` creates the commands of schedules. Any worker can accept a command, but only the device's control
/// lane sends it. A device's commands are therefore sent in the order of their numbers.
package enum CommandDispatcher {
    /// Checks a request, stores it as a numbered command, and asks for its dispatch if the device is connected.
    ///
    /// The command's state is `queued` at first, but soon `sent` if the device is connected.
    /// - Throws: `Rejection` for an unknown or offline device, data that doesn't fit, or a full queue.
    package static func enqueue(
        _ request: CommandRequest,
        product: Product?,
        in work: inout UnitOfWork
    ) throws -> Command {
        try work.tx.lock(devices: [request.did])
        let (command, state) = try prepare(request, product: product, in: &work)
        guard try CommandQueueLimits.replaced(by: command, state, in: work).isEmpty else {
            throw CommandQueueLimits.full
        }
        try leave(command, state, in: &work)
        return command
    }

    /// Stores a command, and asks the device's lane of the control worker to send it.
    private static func leave(_ command: Command, _ state: DispatchState, in work: inout UnitOfWork) throws {
        try work.tx.commands.save([command])
        guard !state.isAway else { return }
        let moment = state.listensFrom ?? work.now
        try work.tx.commands.requestDispatches([DispatchRequest(did: command.did, at: moment)])
        work.effects.wake(.control, of: command.did)
    }

    /// Accepts a request on the control worker, which sends the command after the commit if the device is connected.
    ///
    /// Older queued commands are sent first, since a device ignores a command that arrives after a newer one. If the
    /// device might not be listening yet, the command waits until the gate reports that the device is listening. After
    /// a limited wait, the command is sent without that report.
    static func send(_ request: CommandRequest, product: Product?, in work: inout UnitOfWork) throws -> Command {
        let (command, state) = try prepare(request, product: product, in: &work)
        for old in try CommandQueueLimits.replaced(by: command, state, in: work) {
            try work.tx.commands.update([old])
            try CommandOutcome.publish(old, product: product, in: &work)
        }
        guard work.shards.contain(request.did.text) else {
            // Another lane sends all commands of this device, so that the commands can't overtake each other.
            try leave(command, state, in: &work)
            return command
        }
        let dispatch: DispatchRequest?
        switch state {
        case .front(let due): dispatch = due
        case .unheard(let listensFrom, let isNext):
            let command = isNext ? command.sent(at: work.now) : command
            try work.tx.commands.save([command])
            try work.tx.commands.requestDispatches([
                DispatchRequest(did: request.did, at: listensFrom, sentBefore: work.now)
            ])
            return command
        case .behind, .away:
            try work.tx.commands.save([command])
            return command
        }
        // The queue of a listening device is empty if no dispatch request is pending.
        var waiting: [Command] = []
        if let dispatch {
            try work.tx.commands.removeDispatches([dispatch])
            try sendAgain(dispatch, in: &work)
            waiting = try takeEntitled(request.did, product: product, in: &work)
        }
        let sent = try send(waiting + [command], product: product, in: &work)
        return sent.first { $0.cid == command.cid } ?? command
    }

    /// Sends a connected device its queued commands, and repeats commands that the device may have missed.
    ///
    /// If the device is offline again, nothing is sent. If it has just reconnected, the dispatch is postponed.
    static func sendQueued(_ dispatch: DispatchRequest, in work: inout UnitOfWork) throws {
        guard let record = try work.tx.statuses.find(dispatch.did),
            record.status.presence.isOnline
        else { return }
        let listensFrom = record.status.presence.unheard(
            at: work.now,
            within: work.limits.dispatchSeconds
        )
        if let listensFrom {
            return try work.tx.commands.requestDispatches([
                DispatchRequest(did: dispatch.did, at: listensFrom, sentBefore: dispatch.sentBefore)
            ])
        }
        let product = try work.product(record.productKey)
        try sendAgain(dispatch, in: &work)
        let waiting = try takeEntitled(dispatch.did, product: product, in: &work)
        _ = try send(waiting, product: product, in: &work)
    }

    private static func sendAgain(_ dispatch: DispatchRequest, in work: inout UnitOfWork) throws {
        guard let moment = dispatch.sentBefore else { return }
        let missed = try work.tx.commands.missed(dispatch.did, by: moment, limit: work.limits.queuedPerDevice)
        for command in missed where try refusal(command, in: work.tx) == nil { publish(command, in: &work) }
    }

    // MARK: Taking

    private static func prepare(
        _ request: CommandRequest,
        product: Product?,
        in work: inout UnitOfWork
    ) throws -> (command: Command, state: DispatchState) {
        guard let product, let record = try work.tx.statuses.find(request.did) else { throw DeviceMethods.isGone }
        if let rejection = ProductRules.check(written: request.data, product: product) { throw rejection }
        if request.binary != nil, let rejection = ProductRules.refuseBinary(product, "params.binary") {
            throw rejection
        }
        let isOnline = record.status.presence.isOnline
        guard isOnline || request.mode == .queue else {
            throw Rejection(.deviceOffline, "The device is not connected.")
        }
        let cid = try work.tx.devices.nextCommandID(request.did)
        let command = request.command(cid: cid, product: product, at: work.now)
        try CommandQueueLimits.check([command])
        work.effects.observed.add(CommandStep(.accepted, command))
        return (command, try DispatchState(record, in: work))
    }

    // MARK: Sending

    /// Returns the queued commands that may still be sent, and ends all other queued commands.
    ///
    /// The others have expired, or their sender has lost access.
    private static func takeEntitled(_ did: DeviceID, product: Product?, in work: inout UnitOfWork) throws -> [Command]
    {
        try work.tx.commands.waiting(did).filter { command in
            var ended = command
            if let code = try refusal(command, in: work.tx) {
                CommandRules.refuse(&ended, code, at: work.now)
            } else {
                guard CommandRules.expired(&ended, at: work.now) else { return true }
            }
            try work.tx.commands.update([ended])
            try CommandOutcome.publish(ended, product: product, in: &work)
            return false
        }
    }

    /// Returns why the command's user, or its schedule's creator, may no longer send the command.
    ///
    /// The result is nil if the command may be sent. A command that has neither a `user` nor a schedule may always be
    /// sent. The reference describes the rules (commands#modes).
    private static func refusal(_ command: Command, in tx: Transaction) throws -> ErrorCode? {
        var user = command.user
        if command.actor.kind == .schedule {
            // If the schedule has been deleted, its command is still sent. If the schedule's creator had lost the
            // binding to the device, `Bindings` would already have ended the command.
            user = try tx.schedules.find(ScheduleID(trusted: command.actor.id))?.creator
        }
        guard let uid = user else { return nil }
        guard let binding = try tx.bindings.find(command.did, uid) else { return .notBound }
        return binding.refusal(of: command.kind, at: tx.now)
    }

    private static func send(_ waiting: [Command], product: Product?, in work: inout UnitOfWork) throws -> [Command] {
        let (outgoing, superseded) = CommandRules.merged(waiting, at: work.now)
        let sent = outgoing.map { $0.sent(at: work.now) }
        try work.tx.commands.save(superseded + sent)
        for command in superseded { try CommandOutcome.publish(command, product: product, in: &work) }
        for command in sent { publish(command, in: &work) }
        return sent
    }

    private static func publish(_ command: Command, in work: inout UnitOfWork) {
        work.effects.observed.add(CommandStep(.sent, command))
        work.effects.publish(
            OutboundMessage(
                work.topics.command(command.did),
                CommandCodec.encode(command, at: work.now),
                expiresAt: command.expiresAt
            ),
            isSecret: command.hidden != nil
        )
    }
}

extension Command {
    /// Returns the command in the state `sent`.
    ///
    /// If the command was created at `now`, it never waited, so the state `queued` is removed from its steps.
    fileprivate func sent(at now: Instant) -> Command {
        var command = self
        if createdAt == now {
            command.steps = []
            command.turn(.sent, at: now, by: .asker)
        } else {
            command.turn(.sent, at: now, by: .system)
        }
        return command
    }
}
