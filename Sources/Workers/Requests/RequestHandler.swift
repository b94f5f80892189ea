package import Domain
package import Storage
package import Wire

/// A worker that answers app requests: a table of methods by name.
package struct RequestHandler: BatchHandler {
    package let name: WorkerName
    private let methods: [String: Method]
    private let environment: Environment
    private var processor: RequestProcessor
    /// The time at which the next command expires or must be sent, or the next invitation or guest's binding
    /// expires; only the control worker has one.
    package private(set) var nextDue: Instant?
    /// Whether `nextDue` includes the effects of all batches; if not, the next look computes it, off the path of
    /// a request.
    private var isPlanned = true
    /// Notices steps of the clock; used by the control worker only.
    private var clockSteps = ClockSteps()

    /// The control worker: devices, sharing, homes; and the clock of commands.
    package static func control(_ environment: Environment) -> RequestHandler {
        RequestHandler(.control, controlMethods, environment)
    }

    private static let controlMethods = [
        DeviceMethods.all, BindMethods.all, UserMethods.all, ShareMethods.all, HomeMethods.all,
    ].reduce(into: [:]) { all, some in all.merge(some) { _, new in new } }

    /// The account worker: accounts and sessions.
    package static func account(_ environment: Environment) -> RequestHandler {
        RequestHandler(
            .account,
            AccountMethods.all.merging(SessionMethods.all) { _, new in new },
            environment
        )
    }

    init(
        _ name: WorkerName,
        _ methods: [String: Method],
        _ environment: Environment
    ) {
        self.name = name
        self.methods = methods
        self.environment = environment
        let wakeup = environment.wakeups
        processor = RequestProcessor(
            environment,
            PendingRequests(CompletionQueue { wakeup.wake(name) })
        )
    }

    package var filters: [String] {
        name.services.map { "\(environment.topics.root)/app/+/+/request/\($0)/#" }
            + [TokenUse.filter(environment.topics)]
    }

    // MARK: The path

    package mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Effects {
        try processor.catalog.update(in: tx)
        try followClock(in: tx)
        var effects = Effects()
        for message in batch { try handle(message, in: tx, effects: &effects) }
        isPlanned = name != .control
        return effects
    }

    private mutating func handle(
        _ message: Inbound,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        let topic = environment.topics.parse(message.topic)
        if case .tokenUsed = topic { return try TokenUse.note(message, in: tx, effects: &effects) }
        guard case .request(let app, let terminal, let service, let method) = topic else {
            return effects.deadLetter(
                .topic,
                "the topic is not that of a request",
                topic: message.topicText,
                payload: Payload.shape(of: message.payload),
                isShapeOnly: true
            )
        }
        guard
            let request = processor.decode(
                message,
                app,
                terminal,
                service: service,
                method: method,
                effects: &effects
            )
        else { return }
        try processor.answer(
            request,
            with: methods[request.name] ?? UnknownMethod.named(request.name),
            in: tx,
            effects: &effects
        )
    }

    package func failureReply(for message: Inbound) -> OutboundMessage? {
        processor.reply(to: message, message.failureReply)
    }

    package func refusal(of message: Inbound, _ rejection: Rejection) -> OutboundMessage? {
        processor.reply(to: message, message.refusal(rejection))
    }

    // MARK: Due work

    package func isDue(in tx: Transaction) throws -> Bool {
        if processor.waiting.canRelease || !isPlanned { return true }
        guard name == .control else { return false }
        if clockSteps.stepBack(by: environment.clock) != nil { return true }
        // Other workers, such as the schedule worker, also create commands.
        let next = [try tx.commands.nextExpiry(), try tx.commands.nextDispatch()]
            .compactMap(\.self).min()
        return next.map { $0 <= environment.clock.now } ?? false
    }
    package var isAwaiting: Bool { !processor.waiting.isEmpty }

    package mutating func due(in tx: Transaction) throws -> Effects? {
        if processor.waiting.canRelease { return try released(in: tx) }
        guard name == .control else { return nil }
        try followClock(in: tx)
        try processor.catalog.update(in: tx)
        var effects = Effects()
        try CommandOutcome.expire(
            limit: environment.limits.sweepStep,
            catalog: processor.catalog,
            topics: environment.topics,
            in: tx,
            effects: &effects
        )
        try BindingExpiry.step(
            limit: environment.limits.bindingStep,
            environment.topics,
            in: tx,
            effects: &effects
        )
        for dispatch in try tx.commands.takeDispatches(limit: environment.limits.dispatchPage) {
            try CommandDispatcher.sendQueued(
                dispatch,
                catalog: processor.catalog,
                limits: environment.limits,
                topics: environment.topics,
                in: tx,
                effects: &effects
            )
        }
        try plan(in: tx)
        return effects
    }

    /// Brings forward the due times of commands if the clock was set back.
    private mutating func followClock(in tx: Transaction) throws {
        guard name == .control else { return }
        if let step = clockSteps.stepBack(by: environment.clock) {
            try tx.commands.bringForward(byMilliseconds: step)
        }
        clockSteps.note(environment.clock)
    }

    /// Carries out the requests whose slow work is done.
    private mutating func released(in tx: Transaction) throws -> Effects {
        try processor.catalog.update(in: tx)
        var effects = Effects()
        for (pending, prepared) in processor.waiting.release() {
            try processor.answer(pending, prepared, in: tx, effects: &effects)
        }
        return effects
    }

    private mutating func plan(in tx: Transaction) throws {
        guard name == .control else { return }
        nextDue = [
            try tx.commands.nextExpiry(), try tx.commands.nextDispatch(),
            try BindingExpiry.next(in: tx),
        ]
        .compactMap(\.self).min()
        isPlanned = true
    }

    package mutating func connected(
        isSessionPresent: Bool,
        in tx: Transaction
    ) throws -> [OutboundMessage] {
        try processor.begin(isSessionPresent: isSessionPresent, in: tx)
        clockSteps.note(environment.clock)
        try plan(in: tx)
        return []
    }
}
