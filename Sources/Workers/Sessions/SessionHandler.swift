package import Domain
package import Storage
import Wire

/// The session worker's handler, which announces ended sessions, and answers requests whose worker is offline.
///
/// Any worker can end a session in its transaction (`SessionLifecycle.end`), which also publishes a notice. The session
/// worker receives the notice and announces the end (`SessionTermination`). The account worker answers the methods
/// `session/…`.
package struct SessionHandler: BatchHandler {
    /// The worker's name and its subscriptions.
    package let role: WorkerRole
    private let environment: Environment
    private var processor: RequestProcessor
    /// The workers that are online, as published by the workers or shown by the leases.
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
                // If several processes share the work, the leases show which workers are online.
                retained: environment.plan.isShared ? [] : [topics.system("worker/+")]
            )
        )
    }

    /// If several processes share the work, loads the names of the workers that are online.
    ///
    /// The session worker answers requests only for workers that are offline. If the broker has lost the session
    /// worker's MQTT session, devices are announced to Home Assistant again.
    package mutating func connected(isSessionPresent: Bool, in tx: Transaction) throws -> [OutboundMessage] {
        if environment.plan.isShared { present = try tx.leases.heldWorkers() }
        if !isSessionPresent { try tx.homeAssistant.announceAgain() }
        return []
    }

    // MARK: Expired sessions and keys

    package func waiting(in tx: Transaction?) throws -> WaitingWork {
        guard let tx else { return WaitingWork() }
        if try isWorkersNews(in: tx) { return WaitingWork(nextDue: WaitingWork.atOnce) }
        return WaitingWork(nextDue: try [tx.sessions.nextExpiry(), tx.keys.nextExpiry()].compactMap(\.self).min())
    }

    package mutating func due(in tx: Transaction) throws -> Effects? {
        let limit = environment.limits.sweepStep
        let overdue = try tx.lock(usersOf: { try tx.sessions.overdue(at: tx.now, limit: limit) })
        let keys = try tx.keys.overdue(at: tx.now, limit: limit)
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
            case .workerState(let name):
                guard let state = SystemCodec.decode(workerState: message.payload) else { continue }
                try note(name, isOnline: state.isOnline, in: &work)
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
        let sessions = try work.tx.lock(usersOf: { try meant(notice, in: work.tx) })
        // The clocks of processes differ. Therefore, a login can seem later than the notice of the session's end.
        for session in sessions where session.loginTime <= notice.ts || notice.isOfEnd(of: session) {
            var session = session
            // If a session is already marked as ended, only the notice that was published for this mark has an effect.
            let isMarked = session.endedAt != nil
            guard !isMarked || notice.isOfEnd(of: session), try work.tx.sessions.claim(endOf: session.id) else {
                continue
            }
            if isMarked {
                try work.tx.sessions.confirmEnd(of: session)
            } else {
                // Workers mark a session before they publish a notice. This session isn't marked, so an outside service
                // has published the notice.
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

    private mutating func note(_ worker: String, isOnline: Bool, in work: inout UnitOfWork) throws {
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

    /// Returns true if a worker came online or went offline, or if no state is known yet.
    ///
    /// If processes don't share the work, the result is always false.
    private func isWorkersNews(in tx: Transaction) throws -> Bool {
        guard environment.plan.isShared else { return false }
        return try known.isEmpty || tx.leases.heldWorkers() != present
    }

    /// Publishes the state of each worker whose state has changed.
    ///
    /// A worker is online if any of its lanes is held.
    private mutating func noteLeases(in work: inout UnitOfWork) throws {
        let held = try work.tx.leases.heldWorkers()
        for worker in WorkerName.allCases.map(\.rawValue)
        where !known.contains(worker) || held.contains(worker) != present.contains(worker) {
            try note(worker, isOnline: held.contains(worker), in: &work)
            let state = SystemCodec.workerState(isOnline: held.contains(worker), ts: work.now)
            work.effects.publish(OutboundMessage(work.topics.system("worker/\(worker)"), state, isRetained: true))
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
        guard let request = processor.decode(message, as: target, isKnown: false, in: &work) else { return }
        guard let owner else {
            return try processor.answer(request, with: UnknownMethod.named(request.name), in: &work)
        }
        let refusal = Rejection(.unavailable, "The \(owner.rawValue) worker is not running; try again.")
        try processor.refuseForAbsentWorker(request, refusal, in: &work)
    }
}

extension Transaction {
    /// Finds sessions, locks their users, and finds the sessions again if they may have changed.
    fileprivate func lock(usersOf find: () throws -> [Session]) throws -> [Session] {
        try lock(find, naming: { (users: $0.map(\.uid), devices: []) })
    }
}
