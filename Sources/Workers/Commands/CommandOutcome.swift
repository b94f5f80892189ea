import Domain
import Storage
import Wire

/// The publication of commands' outcomes, to the terminals that sent the commands and to waiting requests.
///
/// The status worker publishes an answered command's outcome. Without an answer, the control worker publishes the
/// outcome. If the sender's session on a terminal has ended, the terminal gets no outcome, because another person might
/// be using the terminal.
enum CommandOutcome {
    /// Publishes a finished command's outcome, and ends the run of its schedule, if any.
    static func publish(_ command: Command, product: Product?, in work: inout UnitOfWork) throws {
        try answer(command, product: product, in: &work)
        try endScheduleRun(command, in: &work)
    }

    /// Ends the schedule's run and notifies users of the outcome, if a schedule sent the command.
    static func endScheduleRun(_ command: Command, in work: inout UnitOfWork) throws {
        guard command.actor.kind == .schedule else { return }
        try ScheduleRuns.finish(command, in: &work)
    }

    /// Logs the outcome, sends it to the terminal that sent the command, and answers waiting requests.
    ///
    /// Users who may no longer see the device get the outcome without reported values.
    static func answer(_ command: Command, product: Product?, in work: inout UnitOfWork) throws {
        work.effects.observed.add(EndedCommand(command, at: work.now))
        if command.kind == .write {
            let data = CommandCodec.outcome(command, product: product)
            let (did, actor, app) = (command.did, command.actor, command.app)
            try work.log(.deviceCommand, of: did, product: product?.key, actor: actor, app: app, data: data)
        }
        let refused = try refusal(toShow: command, in: work.tx)
        var command = command
        if refused != nil { command.result = nil }
        try tellTerminal(command, product: product, in: &work)
        let waiters = try work.tx.commands.takeWaiters(command.did, command.cid)
        guard !waiters.isEmpty else { return }
        let result = try result(of: command, refused: refused, product: product, in: work.tx)
        for waiter in waiters { try answer(waiter, with: result, of: command, in: &work) }
    }

    /// Sends a write command's outcome to the terminal that sent the command.
    ///
    /// A query's outcome is only in the answer to its request.
    private static func tellTerminal(_ command: Command, product: Product?, in work: inout UnitOfWork) throws {
        guard command.kind == .write, let app = command.app, let terminal = command.actor.terminal,
            try isLive(command.actor, on: terminal, in: work.tx)
        else { return }
        if let link = try work.tx.sessions.link(on: terminal) {
            guard let problem = HomeAssistantCodec.problem(with: command, at: work.now) else { return }
            return work.effects.publish(problem, to: work.topics.link(link, command.did, leaf: "problem"))
        }
        let topic = work.topics.terminal(app, terminal, leaf: "command")
        work.effects.publish(CommandCodec.outcome(command, product: product), to: topic)
    }

    /// Returns whether a command's sender still has a session or valid key on the terminal.
    private static func isLive(_ sender: Actor, on terminal: TerminalID, in tx: Transaction) throws -> Bool {
        if sender.kind == .service { return try tx.keys.isLive(on: terminal) }
        return try tx.sessions.isLive(sender.id, on: terminal)
    }

    private static func answer(
        _ waiter: Waiter,
        with result: Result<Answer, Rejection>,
        of command: Command,
        in work: inout UnitOfWork
    ) throws {
        let answer: [UInt8]
        var refusal: Rejection?
        switch result {
        case .success(let result):
            answer = AnswerCodec.success(waiter.requestID, result: result)
        case .failure(let rejection):
            work.effects.count(rejection)
            refusal = rejection
            answer = AnswerCodec.refusal(waiter.requestID, rejection)
        }
        work.effects.observed.add(AnsweredRequest(to: waiter, of: command, refusal: refusal, at: work.now))
        try work.tx.requests.complete(
            waiter.terminal.text,
            waiter.requestID,
            waitsFor: (command.did, command.cid),
            answer: answer
        )
        let reply = ReplyAddress(topic: waiter.topic, correlation: waiter.correlation, traceparent: waiter.traceparent)
        let mayKnow = try isLive(command.actor, on: waiter.terminal, in: work.tx)
        work.effects.publish(
            reply.message(
                mayKnow ? answer : AnswerCodec.refusal(waiter.requestID, sessionIsOver)
            )
        )
    }

    /// Returns why the command's user may not see the values that the device has reported.
    ///
    /// The result is nil if the user may see the values, if the command has no user, or if there are no values to show.
    private static func refusal(toShow command: Command, in tx: Transaction) throws -> ErrorCode? {
        guard let uid = command.user, command.kind == .query || command.result != nil else { return nil }
        guard let binding = try tx.bindings.find(command.did, uid) else { return .notBound }
        return binding.refusal(of: .query, at: tx.now)
    }

    private static func result(
        of command: Command,
        refused: ErrorCode?,
        product: Product?,
        in tx: Transaction
    ) throws -> Result<Answer, Rejection> {
        guard command.kind == .query else { return .success(CommandCodec.result(command, product: product)) }
        if let code = command.refusal ?? refused {
            return .failure(Rejection(code, "You may no longer see the device."))
        }
        guard command.state != .expired, let record = try tx.statuses.find(command.did) else {
            return .failure(Rejection(.deviceTimeout, "The device did not answer in time."))
        }
        return .success(StatusCodec.answer(record.status, of: command.did, product: product))
    }

    private static let sessionIsOver = Rejection(.invalidToken, "The session has ended; log in again.", field: "token")

    /// Ends commands whose sender has lost the binding, or whose device has been reset or removed.
    static func fail(_ commands: [Command], in work: inout UnitOfWork) throws {
        for var command in commands {
            CommandRules.refuse(&command, .notBound, at: work.now)
            try work.tx.commands.update([command])
            try publish(command, product: nil, in: &work)
        }
    }

    /// Ends commands whose deadline has passed.
    static func expire(_ commands: [Command], in work: inout UnitOfWork) throws {
        for var command in commands where CommandRules.expired(&command, at: work.now) {
            do {
                try work.isolated { part in
                    try part.tx.commands.update([command])
                    let product = try part.product(of: command.did)
                    try publish(command, product: product, in: &part)
                }
            } catch  where Failure.isMessages(error) {
                // The command ends, although its outcome couldn't be published. If it stayed open, it would fail again
                // and again, and block other commands.
                try work.tx.commands.update([command])
                work.effects.observed.add(EndedCommand(command, at: work.now))
                work.effects.deadLetter(
                    .failed,
                    "the service failed to report that the command has expired",
                    topic: work.topics.command(command.did),
                    payload: CommandCodec.number(of: command),
                    isShapeOnly: true
                )
            }
        }
    }
}
