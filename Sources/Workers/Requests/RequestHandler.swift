package import Domain
package import Storage
import Wire

/// The handler of a worker's app requests, with a table of methods.
///
/// It is the whole handler of the account and reach workers. In the control and schedule workers, it is a part of the
/// handler.
package struct RequestHandler: BatchHandler {
    /// The worker's name and its subscriptions.
    package let role: WorkerRole
    private let methods: [String: Method]
    private let environment: Environment
    private var processor: RequestProcessor

    /// Returns the handler of the account worker, for requests about accounts and sessions.
    package static func account(_ environment: Environment) -> RequestHandler {
        RequestHandler(.account, methods: AccountMethods.all.merging(SessionMethods.all) { _, new in new }, environment)
    }

    /// Returns the reach worker's handler, for requests about notifications and for servers' requests about events.
    package static func reach(_ environment: Environment) -> RequestHandler {
        let methods = EventMethods.all.merging(NotificationMethods.all) { _, new in new }
        return RequestHandler(.reach, methods: methods, environment)
    }

    init(_ name: WorkerName, methods: [String: Method], _ environment: Environment) {
        let longReadings = methods.filter { $0.value.isReading && $0.value.prepare != nil }
        role = WorkerRole(
            name,
            Subscriptions(
                new: name.services.flatMap { service in
                    environment.topics.filters("app/+/+/request/\(service)/#", of: environment.divided)
                } + TokenUse.filters(environment)
            ),
            longReadings: longReadings.map(\.key)
        )
        self.methods = methods
        self.environment = environment
        let (wakeups, lane) = (environment.wakeups, environment.lane(of: name))
        processor = RequestProcessor(environment, PendingRequests(CompletionQueue { wakeups.callHere(lane) }))
    }

    // MARK: The path

    package mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Effects {
        var work = try beginWork(in: tx)
        for message in batch { try handle(message, in: &work) }
        return endWork(work)
    }

    package func parts(of batch: [Inbound], isShared: Bool) -> [[Inbound]] {
        guard isShared else { return batch.isEmpty ? [] : [batch] }
        let size = environment.limits.requestsPerSharedCommit
        return stride(from: 0, to: batch.count, by: size).map { start in
            Array(batch[start..<min(start + size, batch.count)])
        }
    }

    /// Begins the work of a batch with an up-to-date catalog.
    mutating func beginWork(in tx: Transaction) throws -> UnitOfWork { try processor.beginWork(in: tx) }

    /// Ends the work of a batch, and returns the work's effects.
    mutating func endWork(_ work: UnitOfWork) -> Effects { processor.endWork(work) }

    /// Carries out one message of a batch.
    mutating func handle(_ message: Inbound, in work: inout UnitOfWork) throws {
        work.tx.beginPiece()
        let topic = environment.topics.parse(message.topic)
        if case .tokenUsed = topic { return try TokenUse.note(message, in: &work) }
        if case .linkCommand(let session, let did) = topic {
            return try processor.carryOut(message, ofLink: session, for: did, in: &work)
        }
        guard let target = RequestTarget(topic) else {
            return work.effects.deadLetter(message, unknownTopic: "the topic is not a request's topic")
        }
        let known = methods[target.name]
        guard let request = processor.decode(message, as: target, isKnown: known != nil, in: &work) else { return }
        try processor.answer(request, with: known ?? UnknownMethod.named(request.name), in: &work)
    }

    // MARK: Due work

    package func waiting(in tx: Transaction?) -> WaitingWork {
        WaitingWork(canRelease: canRelease, isAwaiting: !processor.waiting.isEmpty)
    }

    /// Whether the slow work of at least one waiting request is done.
    var canRelease: Bool { processor.waiting.canRelease }

    package mutating func due(in tx: Transaction) throws -> Effects? {
        guard canRelease else { return nil }
        var work = try beginWork(in: tx)
        try answerReleased(in: &work)
        return endWork(work)
    }

    /// Carries out requests whose slow work is done, up to the maximum number for one transaction.
    mutating func answerReleased(in work: inout UnitOfWork) throws {
        let limits = environment.limits
        let most = environment.store.isShared ? limits.requestsPerSharedCommit : limits.releasedAtOnce
        try processor.answerReleased(atMost: most, in: &work)
        // This call wakes the worker for the remaining requests. Requests that have arrived meanwhile are carried out
        // first.
        if canRelease { environment.wakeups.callHere(environment.lane(of: role.name)) }
    }

    package mutating func connected(isSessionPresent: Bool, in tx: Transaction) throws -> [OutboundMessage] {
        try processor.begin(isSessionPresent: isSessionPresent, in: tx)
        return []
    }
}
