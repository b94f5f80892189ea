import Domain
import JSON
import Storage
import Wire

/// Sends the outcome of a command to the terminal that sent it, and answers waiting requests.
///
/// A terminal on which the user is no longer logged in gets nothing: another person may hold it.
enum CommandOutcome {
    /// Tells the outcome of a finished command to waiting requests, and to the users who see its schedule.
    static func publish(
        _ command: Command,
        product: Product?,
        topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        try answer(command, product: product, topics: topics, in: tx, effects: &effects)
        try publishScheduleRun(command, topics: topics, in: tx, effects: &effects)
    }

    /// Tells users of a schedule the outcome of its command; ignores other commands.
    static func publishScheduleRun(
        _ command: Command,
        topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        guard command.actor.kind == .schedule else { return }
        try ScheduleNotifications.finish(command, topics, in: tx, effects: &effects)
    }

    /// Sends the outcome to the terminal that sent the command, and answers waiting requests.
    ///
    /// A user who may no longer see the device learns the outcome of the command, but not the device's reported
    /// values.
    static func answer(
        _ command: Command,
        product: Product?,
        topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        let refused = try refusal(toShow: command, in: tx)
        var command = command
        if refused != nil { command.result = nil }
        // A query is answered with the status, or with the reason why there is none.
        if command.kind == .write, let app = command.app, let terminal = command.actor.terminal,
            try tx.sessions.isLive(command.actor.id, on: terminal)
        {
            effects.publish(
                OutboundMessage(
                    topics.terminal(app, terminal, "command"),
                    CommandCodec.outcome(command, product: product)
                )
            )
        }
        let waiters = try tx.commands.takeWaiters(command.did, command.cid)
        guard !waiters.isEmpty else { return }
        let result = try result(of: command, refused, product: product, in: tx)
        for waiter in waiters {
            let answer: [UInt8]
            switch result {
            case .success(let result):
                answer = AnswerCodec.success(waiter.requestID, result: result)
            case .failure(let rejection):
                effects.count(rejection)
                answer = AnswerCodec.refusal(waiter.requestID, rejection)
            }
            try tx.requests.complete(
                waiter.terminal.text,
                waiter.requestID,
                waitsFor: (command.did, command.cid),
                answer: answer
            )
            let reply = ReplyAddress(topic: waiter.topic, correlation: waiter.correlation)
            let mayKnow = try tx.sessions.isLive(command.actor.id, on: waiter.terminal)
            effects.publish(
                reply.message(
                    mayKnow ? answer : AnswerCodec.refusal(waiter.requestID, sessionIsOver)
                )
            )
        }
    }

    /// Returns the reason why the sender may not see the device's report; nil if it may, if there is nothing to
    /// show, and for a sender that isn't a user.
    private static func refusal(toShow command: Command, in tx: Transaction) throws -> ErrorCode? {
        guard command.actor.kind == .user, command.kind == .query || command.result != nil else {
            return nil
        }
        let uid = UserID(trusted: command.actor.id)
        guard let binding = try tx.bindings.find(command.did, uid) else { return .notBound }
        return binding.refusal(of: .query, at: tx.now)
    }

    private static func result(
        of command: Command,
        _ refused: ErrorCode?,
        product: Product?,
        in tx: Transaction
    ) throws -> Result<JSONObject, Rejection> {
        guard command.kind == .query else {
            return .success(CommandCodec.result(command, product: product))
        }
        if let code = command.refusal ?? refused {
            return .failure(Rejection(code, "You may not see the device any more."))
        }
        guard command.state != .expired, let record = try tx.statuses.find(command.did) else {
            return .failure(Rejection(.deviceTimeout, "The device did not answer in time."))
        }
        let payload = StatusCodec.encode(record.status, of: command.did, product: product)
        return .success(try JSONValue.parse(payload).objectValue ?? [:])
    }

    private static let sessionIsOver = Rejection(
        .invalidToken,
        "The session has ended; log in again.",
        field: "token"
    )

    /// Ends commands whose sender lost the binding, or whose device was reset or removed.
    static func fail(
        _ commands: [Command],
        topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        for var command in commands {
            CommandRules.refuse(&command, .notBound, at: tx.now)
            try tx.commands.update([command])
            try publish(command, product: nil, topics: topics, in: tx, effects: &effects)
        }
    }

    /// Ends commands whose time is over.
    static func expire(
        limit: Int,
        catalog: Catalog,
        topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        for var command in try tx.commands.overdue(limit: limit)
        where CommandRules.expired(&command, at: tx.now) {
            do {
                effects.add(try tx.isolated { try expire(command, catalog, topics, in: tx) })
            } catch  where Failure.isMessages(error) {
                // Ends it without a message, so that it does not come again and block the others.
                try tx.commands.update([command])
                effects.deadLetter(
                    .failed,
                    "the service failed to tell that the command has expired",
                    topic: topics.command(command.did),
                    payload: Array("{\"cid\":\(command.cid)}".utf8),
                    isShapeOnly: true
                )
            }
        }
    }

    private static func expire(
        _ command: Command,
        _ catalog: Catalog,
        _ topics: Topics,
        in tx: Transaction
    ) throws -> Effects {
        var effects = Effects()
        try tx.commands.update([command])
        let product = try tx.statuses.find(command.did)
            .flatMap { catalog.product($0.productKey) }
        try publish(command, product: product, topics: topics, in: tx, effects: &effects)
        return effects
    }
}
