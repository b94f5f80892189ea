package import Domain
package import Storage
import Wire

/// The handler of the session worker, which notifies terminals and the gate of ended sessions, watches which workers
/// are online, and answers requests whose worker is offline.
///
/// Each worker ends sessions in its own transactions (`SessionLifecycle.end`), which write a notice; the session worker
/// then announces the end (`SessionTermination`). The account worker answers the methods `session/…`.
package struct SessionHandler: BatchHandler {
    /// The worker's name and its subscriptions.
    package let role: WorkerRole
    private let environment: Environment
    private var processor: RequestProcessor
    /// The workers that have published that they are online.
    private var present: Set<String> = []
    private var known: Set<String> = []

    /// Makes the worker's handler.
    package init(_ environment: Environment) {
        self.environment = environment
        processor = RequestProcessor(environment)
        let topics = environment.topics
        role = WorkerRole(
            .session,
            Subscriptions(
                new: [topics.system("session-invalid"), topics.system("outbound/result")]
                    + TokenUse.filters(environment) + SessionCut.filters(environment) + QueueNews.filters(environment)
                    + topics.filters("app/+/+/request/#", of: environment.divided),
                // If processes share the work, the leases show which workers are online.
                retained: environment.plan.isShared ? [] : [topics.system("worker/+")]
            )
        )
    }

    /// Before queued requests arrive, loads which workers are online, so that this worker doesn't answer their
    /// requests.
    package mutating func connected(isSessionPresent: Bool, in tx: Transaction) throws -> [OutboundMessage] {
        if environment.plan.isShared { present = try tx.leases.heldWorkers() }
        return []
    }

    // MARK: Expired sessions and keys

    package func waiting(in tx: Transaction?) throws -> WaitingWork {
        guard let tx else { return WaitingWork() }
        if try isWorkersNews(in: tx) { return WaitingWork(nextDue: WaitingWork.atOnce) }
        return WaitingWork(nextDue: try [tx.sessions.nextExpiry(), tx.keys.nextExpiry()].compactMap(\.self).min())
    }

    package mutating func due(in tx: Transaction) throws -> Effects? {
        let overdue = try tx.lock {
            try tx.sessions.overdue(at: tx.now, limit: environment.limits.sweepStep)
        } naming: {
            (users: $0.map(\.uid), devices: [])
        }
        let keys = try tx.keys.overdue(at: tx.now, limit: environment.limits.sweepStep)
        let isNews = try isWorkersNews(in: tx)
        guard isNews || !overdue.isEmpty || !keys.isEmpty else { return nil }
        var work = try processor.beginWork(in: tx)
        if isNews { try noteLeases(in: &work) }
        for session in overdue { try SessionLifecycle.end(session, because: .expired, by: .system, in: &work) }
        for key in keys { try KeyLifecycle.end(key, in: &work) }
        return processor.endWork(work)
    }

    // MARK: The path

    package func parts(of batch: [Inbound], isShared: Bool) -> [[Inbound]] {
        if batch.allSatisfy(isForPresentWorker) { return [] }
        return isShared ? batch.map { [$0] } : [batch]
    }

    private func isForPresentWorker(_ message: Inbound) -> Bool {
        guard case .request(_, _, let service, _) = environment.topics.parse(message.topic)
        else { return false }
        return owner(of: service).map(isPresent) ?? false
    }

    package mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Effects {
        var work = try processor.beginWork(in: tx)
        for message in batch {
            tx.beginPiece()
            let topic = environment.topics.parse(message.topic)
            switch topic {
            case .sessionInvalid: try end(message, in: &work)
            case .outboundResult: try GatewayAnswer.take(message, environment.messageOutcomes, in: &work)
            case .tokenUsed: try TokenUse.note(message, in: &work)
            case .sessionCut: try SessionCut.note(message, in: &work)
            case .missed: try QueueNews.publishMissed(message, in: &work)
            case .sessionOwed: QueueNews.endOwed(message, environment, in: &work)
            case .workerState(let name): try note(message, of: name, in: &work)
            case .request: try answer(message, on: topic, in: &work)
            case .malformed(let reason): work.effects.deadLetter(message, unknownTopic: reason)
            default: work.effects.deadLetter(message, unknownTopic: "the topic is not for this worker")
            }
        }
        return processor.endWork(work)
    }

    // MARK: Ended sessions

    private func end(_ message: Inbound, in work: inout UnitOfWork) throws {
        let notice: SessionNotice
        do {
            notice = try SessionCodec.decode(message.payload)
        } catch {
            work.effects.deadLetter(message, .malformed, because: error.reason)
            return work.effects.count(error.rejection)
        }
        guard try work.tx.sessions.claim(notice: notice.id) else { return }
        let sessions = try work.tx.lock {
            try meant(notice, in: work.tx)
        } naming: {
            (users: $0.map(\.uid), devices: [])
        }
        // A session that was marked as ended with this notice matches even if its login time is later, since clocks
        // differ.
        for session in sessions where session.loginTime <= notice.ts || notice.isOfEnd(of: session) {
            var session = session
            // For a session that is marked as ended, only the notice of that end takes effect, not a second notice.
            let isMarked = session.endedAt != nil
            guard !isMarked || notice.isOfEnd(of: session), try work.tx.sessions.claim(endOf: session.id) else {
                continue
            }
            if isMarked {
                try work.tx.sessions.confirmEnd(of: session)
            } else {
                // An outside service ended the session, since workers mark the sessions that they end.
                try SessionLifecycle.markEnded(&session, because: notice.reason, by: notice.actor, in: &work)
            }
            try SessionTermination.announce(session, notice, in: &work)
        }
    }

    private func meant(_ notice: SessionNotice, in tx: Transaction) throws -> [Session] {
        switch notice.scope {
        case .session(let id): try tx.sessions.find(id).map { [$0] } ?? []
        case .terminal(let app, let terminal):
            try tx.sessions.live(on: terminal).map { [$0] }?.filter { $0.app == app } ?? []
        case .user(let uid, let except): try tx.sessions.live(of: uid).filter { $0.terminal != except }
        }
    }

    // MARK: Presence of workers

    private mutating func note(_ message: Inbound, of worker: String, in work: inout UnitOfWork) throws {
        guard let state = SystemCodec.decode(workerState: message.payload) else { return }
        try note(worker, isOnline: state.isOnline, in: &work)
    }

    private mutating func note(
        _ worker: String,
        isOnline: Bool,
        in work: inout UnitOfWork
    ) throws {
        let wasPresent = present.contains(worker)
        if isOnline { present.insert(worker) } else { present.remove(worker) }
        let isNews = known.insert(worker).inserted == false && wasPresent != isOnline
        guard isNews, !environment.ending.hasBegun else { return }
        let payload = SystemCodec.service(worker, isUp: isOnline)
        for (app, terminal) in try work.tx.sessions.liveTerminals() {
            work.effects.publish(OutboundMessage(work.topics.terminal(app, terminal, leaf: "system"), payload))
        }
    }

    // MARK: Workers of several lanes

    /// Returns whether the leases show that a worker has come or gone; also true if no worker is known yet.
    private func isWorkersNews(in tx: Transaction) throws -> Bool {
        guard environment.plan.isShared else { return false }
        return try known.isEmpty || tx.leases.heldWorkers() != present
    }

    /// Publishes the state of each worker whose state has changed; a worker is offline only when none of its lanes is
    /// held.
    private mutating func noteLeases(in work: inout UnitOfWork) throws {
        let held = try work.tx.leases.heldWorkers()
        for worker in WorkerName.allCases.map(\.rawValue)
        where !known.contains(worker) || held.contains(worker) != present.contains(worker) {
            try note(worker, isOnline: held.contains(worker), in: &work)
            work.effects.publish(
                OutboundMessage(
                    work.topics.system("worker/\(worker)"),
                    SystemCodec.workerState(isOnline: held.contains(worker), ts: work.now),
                    isRetained: true
                )
            )
        }
    }

    // MARK: Requests without a worker

    private func owner(of service: String) -> WorkerName? {
        WorkerName.allCases.first { $0.services.contains(service) }
    }

    private func isPresent(_ worker: WorkerName) -> Bool { present.contains(worker.rawValue) }

    private mutating func answer(_ message: Inbound, on topic: Topic, in work: inout UnitOfWork) throws {
        guard let target = RequestTarget(topic) else { return }
        let owner = owner(of: target.service)
        if let owner, isPresent(owner) { return }
        guard let request = processor.decode(message, as: target, isKnown: false, in: &work)
        else { return }
        guard let owner else {
            return try processor.answer(request, with: UnknownMethod.named(request.name), in: &work)
        }
        try processor.refuseForAbsentWorker(
            request,
            Rejection(.unavailable, "The \(owner.rawValue) worker is not running; try again."),
            in: &work
        )
    }
}
