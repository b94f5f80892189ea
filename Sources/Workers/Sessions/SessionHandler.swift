package import Domain
package import Storage
package import Wire

/// The session worker: tells terminals and the gate that sessions ended, watches which workers are online, and answers
/// requests whose worker is offline.
///
/// A session is ended in the transaction of the worker that decides so (`SessionLifecycle.end`), which leaves a notice;
/// this worker takes the notice and tells it (`SessionTermination`). The methods `session/…` are the account worker's.
package struct SessionHandler: BatchHandler {
    private let environment: Environment
    private var processor: RequestProcessor
    /// The workers that have published that they are online.
    private var present: Set<String> = []
    private var known: Set<String> = []

    /// Makes the worker's handler.
    package init(_ environment: Environment) {
        self.environment = environment
        processor = RequestProcessor(environment)
    }

    package var name: WorkerName { .session }

    package var filters: [String] {
        [
            environment.topics.system("session-invalid"),
            environment.topics.system("outbound/result"),
            TokenUse.filter(environment.topics),
            "\(environment.topics.root)/app/+/+/request/#",
        ]
    }

    package var retainedFilters: [String] { [environment.topics.system("worker/+")] }

    // MARK: Sessions whose time is over

    package func isDue(in tx: Transaction) throws -> Bool {
        guard let next = try tx.sessions.nextExpiry() else { return false }
        return next <= environment.clock.now
    }

    package mutating func due(in tx: Transaction) throws -> Effects? {
        let overdue = try tx.sessions.overdue(at: tx.now, limit: environment.limits.sweepStep)
        guard !overdue.isEmpty else { return nil }
        var effects = Effects()
        for session in overdue {
            try SessionLifecycle.end(
                session,
                .expired,
                actor: .system,
                environment.topics,
                &processor.ids,
                in: tx,
                effects: &effects
            )
        }
        return effects
    }

    // MARK: The path

    package func isForOthers(_ batch: [Inbound]) -> Bool {
        batch.allSatisfy { message in
            guard case .request(_, _, let service, _) = environment.topics.parse(message.topic)
            else { return false }
            return owner(of: service).map(isPresent) ?? false
        }
    }

    package func refusal(of message: Inbound, _ rejection: Rejection) -> OutboundMessage? {
        guard !isForOthers([message]) else { return nil }
        return processor.reply(to: message, message.refusal(rejection))
    }

    package mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Effects {
        try processor.catalog.update(in: tx)
        var effects = Effects()
        for message in batch {
            switch environment.topics.parse(message.topic) {
            case .sessionInvalid: try end(message, in: tx, effects: &effects)
            case .outboundResult:
                try GatewayAnswer.take(message, environment, in: tx, effects: &effects)
            case .tokenUsed: try TokenUse.note(message, in: tx, effects: &effects)
            case .workerState(let name): try note(name, message, in: tx, effects: &effects)
            case .request(let app, let terminal, let service, let method):
                try answer(message, app, terminal, service, method, in: tx, effects: &effects)
            case .malformed(let reason): deadLetter(message, reason, effects: &effects)
            default: deadLetter(message, "the topic is not for this worker", effects: &effects)
            }
        }
        return effects
    }

    private func deadLetter(_ message: Inbound, _ reason: String, effects: inout Effects) {
        effects.deadLetter(
            .topic,
            reason,
            topic: message.topicText,
            payload: Payload.shape(of: message.payload),
            isShapeOnly: true
        )
    }

    // MARK: Sessions that are over

    private func end(_ message: Inbound, in tx: Transaction, effects: inout Effects) throws {
        let notice: SessionNotice
        do {
            notice = try SessionCodec.decode(message.payload)
        } catch {
            effects.deadLetter(
                .malformed,
                error.reason,
                topic: message.topicText,
                payload: Array(message.payload.prefix(Payload.bytesMax))
            )
            return effects.count(error.rejection)
        }
        guard try tx.sessions.claim(notice: notice.id) else { return }
        for session in try meant(notice, in: tx) where session.loginTime <= notice.ts {
            var session = session
            // Only the notice of the marked end is carried out, not a second one.
            let isMarked = session.endedAt != nil
            guard !isMarked || notice.isOfEnd(of: session), try tx.sessions.claim(endOf: session.id)
            else { continue }
            if isMarked {
                try tx.sessions.confirmEnd(of: session)
            } else {
                try mark(&session, notice, in: tx)
            }
            try SessionTermination.announce(
                session,
                notice,
                environment.topics,
                in: tx,
                effects: &effects
            )
        }
    }

    private func meant(_ notice: SessionNotice, in tx: Transaction) throws -> [Session] {
        switch notice.scope {
        case .session(let id): try tx.sessions.find(id).map { [$0] } ?? []
        case .terminal(let app, let terminal):
            try tx.sessions.live(on: terminal).map { [$0] }?.filter { $0.app == app } ?? []
        case .user(let uid, let except):
            try tx.sessions.live(of: uid).filter { $0.terminal != except }
        }
    }

    /// Marks a session that an outside service ended; workers have marked theirs themselves.
    private func mark(
        _ session: inout Session,
        _ notice: SessionNotice,
        in tx: Transaction
    ) throws {
        try tx.sessions.end(&session, notice.reason)
        try SessionLifecycle.note(session, notice.reason, by: notice.actor, in: tx)
    }

    // MARK: Workers that come and go

    private mutating func note(
        _ worker: String,
        _ message: Inbound,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        guard let state = SystemCodec.decode(workerState: message.payload) else { return }
        let wasPresent = present.contains(worker)
        if state.isOnline { present.insert(worker) } else { present.remove(worker) }
        let isNews = known.insert(worker).inserted == false && wasPresent != state.isOnline
        guard isNews else { return }
        let payload = SystemCodec.service(worker, isUp: state.isOnline)
        for (app, terminal) in try tx.sessions.liveTerminals() {
            effects.publish(
                OutboundMessage(environment.topics.terminal(app, terminal, "system"), payload)
            )
        }
    }

    // MARK: Requests without a worker

    private func owner(of service: String) -> WorkerName? {
        WorkerName.allCases.first { $0.services.contains(service) }
    }

    private func isPresent(_ worker: WorkerName) -> Bool { present.contains(worker.rawValue) }

    private mutating func answer(
        _ message: Inbound,
        _ app: AppID,
        _ terminal: TerminalID,
        _ service: String,
        _ method: String,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        let owner = owner(of: service)
        if let owner, isPresent(owner) { return }
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
        guard let owner else {
            return try processor.answer(
                request,
                with: UnknownMethod.named(request.name),
                in: tx,
                effects: &effects
            )
        }
        try processor.refuseForAbsentWorker(
            request,
            Rejection(.unavailable, "The \(owner.rawValue) worker is not running; try again."),
            in: tx,
            effects: &effects
        )
    }
}
