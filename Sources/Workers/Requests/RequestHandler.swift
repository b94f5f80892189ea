package import Domain
package import Storage
package import Wire

/// A worker that answers app requests: a table of methods by name.
package struct RequestHandler: BatchHandler {
    package let name: WorkerName
    private let methods: [String: Method]
    private let environment: Environment
    private var desk: RequestDesk
    /// The time at which the next command expires or must be sent, or the next invitation or guest's bond
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
        let bell = environment.neighbours
        desk = RequestDesk(environment, WaitingRoom(Mailbox { bell.wake(name) }))
    }

    package var filters: [String] {
        name.services.map { "\(environment.topics.root)/app/+/+/request/\($0)/#" }
            + [TokenUse.filter(environment.topics)]
    }

    // MARK: The path

    package mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Owed {
        try desk.catalog.update(in: tx)
        try followClock(in: tx)
        var owed = Owed()
        for message in batch { try handle(message, in: tx, owed: &owed) }
        isPlanned = name != .control
        return owed
    }

    private mutating func handle(
        _ message: Inbound,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        let topic = environment.topics.parse(message.topic)
        if case .tokenUsed = topic { return try TokenUse.note(message, in: tx, owed: &owed) }
        guard case .request(let app, let terminal, let service, let method) = topic else {
            return owed.putAside(
                .topic,
                "the topic is not that of a request",
                topic: message.topicText,
                payload: Payload.shape(of: message.payload),
                isShapeOnly: true
            )
        }
        guard
            let request = desk.decode(
                message,
                app,
                terminal,
                service: service,
                method: method,
                owed: &owed
            )
        else { return }
        try desk.answer(
            request,
            with: methods[request.name] ?? UnknownMethod.named(request.name),
            in: tx,
            owed: &owed
        )
    }

    package func apology(for message: Inbound) -> OutboundMessage? {
        desk.reply(to: message, message.apology)
    }

    package func refusal(of message: Inbound, _ rejection: Rejection) -> OutboundMessage? {
        desk.reply(to: message, message.refusal(rejection))
    }

    // MARK: Due work

    package func isDue(in tx: Transaction) throws -> Bool {
        if desk.waiting.canRelease || !isPlanned { return true }
        guard name == .control else { return false }
        if clockSteps.stepBack(by: environment.clock) != nil { return true }
        // Other workers, such as the schedule worker, also create commands.
        let next = [try tx.commands.nextExpiry(), try tx.commands.nextCall()]
            .compactMap(\.self).min()
        return next.map { $0 <= environment.clock.now } ?? false
    }
    package var isAwaiting: Bool { !desk.waiting.isEmpty }

    package mutating func due(in tx: Transaction) throws -> Owed? {
        if desk.waiting.canRelease { return try released(in: tx) }
        guard name == .control else { return nil }
        try followClock(in: tx)
        try desk.catalog.update(in: tx)
        var owed = Owed()
        try CommandOutcome.expire(
            limit: environment.limits.sweepStep,
            catalog: desk.catalog,
            topics: environment.topics,
            in: tx,
            owed: &owed
        )
        try BondExpiry.step(
            limit: environment.limits.bondStep,
            environment.topics,
            in: tx,
            owed: &owed
        )
        for call in try tx.commands.takeCalls(limit: environment.limits.callPage) {
            try CommandDesk.deliver(
                call,
                catalog: desk.catalog,
                limits: environment.limits,
                topics: environment.topics,
                in: tx,
                owed: &owed
            )
        }
        try plan(in: tx)
        return owed
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
    private mutating func released(in tx: Transaction) throws -> Owed {
        try desk.catalog.update(in: tx)
        var owed = Owed()
        for (guest, prepared) in desk.waiting.release() {
            try desk.answer(guest, prepared, in: tx, owed: &owed)
        }
        return owed
    }

    private mutating func plan(in tx: Transaction) throws {
        guard name == .control else { return }
        nextDue = [
            try tx.commands.nextExpiry(), try tx.commands.nextCall(), try BondExpiry.next(in: tx),
        ]
        .compactMap(\.self).min()
        isPlanned = true
    }

    package mutating func connected(
        isSessionPresent: Bool,
        in tx: Transaction
    ) throws -> [OutboundMessage] {
        try desk.begin(isSessionPresent: isSessionPresent, in: tx)
        clockSteps.note(environment.clock)
        try plan(in: tx)
        return []
    }
}
