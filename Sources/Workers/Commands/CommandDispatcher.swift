package import Domain
package import Storage
import Wire

/// Turns orders of apps and operators into commands, and sends all commands: there is no other way to a device.
///
/// Any worker takes orders, but only the control worker sends: the commands of one device leave in the order of their
/// numbers. Schedules store theirs by themselves, many at once (`TriggerBatch`), and leave a dispatch request.
package enum CommandDispatcher {
    /// Checks an order, numbers and stores it as a command, and requests the control worker to send it
    /// at once.
    ///
    /// The command is `queued` then; `sent` follows soon if the device is connected.
    /// - Throws: `Rejection` if the device is unknown or offline, the data doesn't fit, or too many commands wait.
    package static func enqueue(
        _ request: CommandRequest,
        product: Product?,
        limits: Limits,
        in tx: Transaction,
        effects: inout Effects
    ) throws -> Command {
        let (command, state) = try prepare(request, product: product, limits: limits, in: tx)
        guard try CommandQueueLimits.replaced(by: command, state, limits, in: tx).isEmpty else {
            throw CommandQueueLimits.full
        }
        try tx.commands.save([command])
        if !state.isAway {
            let moment = state.listensFrom ?? tx.now
            try tx.commands.requestDispatches([DispatchRequest(did: command.did, at: moment)])
            effects.wake(.control)
        }
        return command
    }

    /// Takes a request on the control worker itself, and sends it with this commit if the device is
    /// connected.
    ///
    /// If older commands are about to be sent, it goes with them: a device ignores a command that follows a newer
    /// one. If the device may not listen yet, it is sent when the gate reports that it does.
    static func send(
        _ request: CommandRequest,
        product: Product?,
        limits: Limits,
        topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws -> Command {
        let (command, state) = try prepare(request, product: product, limits: limits, in: tx)
        for old in try CommandQueueLimits.replaced(by: command, state, limits, in: tx) {
            try tx.commands.update([old])
            try CommandOutcome.publish(
                old,
                product: product,
                topics: topics,
                in: tx,
                effects: &effects
            )
        }
        let dispatch: DispatchRequest?
        switch state {
        case .front(let due): dispatch = due
        case .unheard(let listensFrom, let isNext):
            let command = isNext ? command.sent(at: tx.now) : command
            try tx.commands.save([command])
            try tx.commands.requestDispatches([
                DispatchRequest(did: request.did, at: listensFrom, sentBefore: tx.now)
            ])
            return command
        case .behind, .away:
            try tx.commands.save([command])
            return command
        }
        // Commands wait for a connected device only if there is a dispatch request for them.
        var waiting: [Command] = []
        if let dispatch {
            try tx.commands.removeDispatches([dispatch])
            try sendAgain(dispatch, limits: limits, topics: topics, in: tx, effects: &effects)
            waiting = try entitled(
                request.did,
                product: product,
                topics: topics,
                in: tx,
                effects: &effects
            )
        }
        let sent = try send(
            waiting + [command],
            product: product,
            topics: topics,
            in: tx,
            effects: &effects
        )
        return sent.first { $0.cid == command.cid } ?? command
    }

    /// Sends a connected device its queued commands, and repeats those that it may have missed.
    ///
    /// Sends nothing if the device is offline again, and later if it has reconnected meanwhile.
    static func sendQueued(
        _ dispatch: DispatchRequest,
        catalog: Catalog,
        limits: Limits,
        topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        guard let record = try tx.statuses.find(dispatch.did), record.status.presence.isOnline
        else {
            return
        }
        if let listensFrom = record.status.presence.unheard(
            at: tx.now,
            within: limits.dispatchSeconds
        ) {
            return try tx.commands.requestDispatches([
                DispatchRequest(did: dispatch.did, at: listensFrom, sentBefore: dispatch.sentBefore)
            ])
        }
        let product = catalog.product(record.productKey)
        try sendAgain(dispatch, limits: limits, topics: topics, in: tx, effects: &effects)
        let waiting = try entitled(
            dispatch.did,
            product: product,
            topics: topics,
            in: tx,
            effects: &effects
        )
        _ = try send(waiting, product: product, topics: topics, in: tx, effects: &effects)
    }

    /// Repeats the commands that a device may have missed.
    private static func sendAgain(
        _ dispatch: DispatchRequest,
        limits: Limits,
        topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        guard let moment = dispatch.sentBefore else { return }
        let missed = try tx.commands.missed(
            dispatch.did,
            by: moment,
            limit: limits.queuedPerDevice
        )
        for command in missed where try refusal(command, in: tx) == nil {
            publish(command, topics, at: tx.now, effects: &effects)
        }
    }

    // MARK: Taking

    private static func prepare(
        _ request: CommandRequest,
        product: Product?,
        limits: Limits,
        in tx: Transaction
    ) throws -> (command: Command, state: DispatchState) {
        guard let product, let record = try tx.statuses.find(request.did) else {
            throw Rejection(.notBound, "The device is gone.", field: "params.did")
        }
        if let rejection = ProductRules.check(written: request.data, product: product) {
            throw rejection
        }
        if request.binary != nil,
            let rejection = ProductRules.refuseBinary(product, "params.binary")
        {
            throw rejection
        }
        let isOnline = record.status.presence.isOnline
        guard isOnline || request.mode == .queue else {
            throw Rejection(.deviceOffline, "The device is not connected.")
        }
        let cid = try tx.devices.nextCommandID(request.did)
        let command = request.command(cid: cid, product: product, at: tx.now)
        try CommandQueueLimits.check([command])
        return (command, try DispatchState(record, limits, in: tx))
    }

    // MARK: Sending

    /// Returns the queued commands that can still be sent; ends those past their deadline and those whose sender
    /// lost access.
    private static func entitled(
        _ did: DeviceID,
        product: Product?,
        topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws -> [Command] {
        try tx.commands.waiting(did).filter { command in
            var ended = command
            if let code = try refusal(command, in: tx) {
                CommandRules.refuse(&ended, code, at: tx.now)
            } else {
                guard CommandRules.expired(&ended, at: tx.now) else { return true }
            }
            try tx.commands.update([ended])
            try CommandOutcome.publish(
                ended,
                product: product,
                topics: topics,
                in: tx,
                effects: &effects
            )
            return false
        }
    }

    /// Returns the reason why a user may no longer send the command; nil for a sender that isn't a user.
    private static func refusal(_ command: Command, in tx: Transaction) throws -> ErrorCode? {
        guard command.actor.kind == .user else { return nil }
        guard
            let binding = try tx.bindings.find(
                command.did,
                UserID(trusted: command.actor.id)
            )
        else { return .notBound }
        return binding.refusal(of: command.kind, at: tx.now)
    }

    private static func send(
        _ waiting: [Command],
        product: Product?,
        topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws -> [Command] {
        let (outgoing, superseded) = CommandRules.merged(waiting, at: tx.now)
        let sent = outgoing.map { $0.sent(at: tx.now) }
        try tx.commands.save(superseded + sent)
        for command in superseded {
            try CommandOutcome.publish(
                command,
                product: product,
                topics: topics,
                in: tx,
                effects: &effects
            )
        }
        for command in sent { publish(command, topics, at: tx.now, effects: &effects) }
        return sent
    }

    private static func publish(
        _ command: Command,
        _ topics: Topics,
        at now: Instant,
        effects: inout Effects
    ) {
        effects.publish(
            OutboundMessage(
                topics.command(command.did),
                CommandCodec.encode(command, at: now),
                expiresAt: command.expiresAt
            ),
            isSecret: command.hidden != nil
        )
    }
}

extension Command {
    /// Returns the command as sent; one that didn't wait was never queued.
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
