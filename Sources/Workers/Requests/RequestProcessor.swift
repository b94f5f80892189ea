import Domain
import Sodium
import Storage
import Wire

/// The processor of requests, which checks envelope, repeats and token, runs methods and writes their answers.
struct RequestProcessor {
    let environment: Environment
    private var catalog = Catalog()
    private var ids: IDSource
    /// Requests whose slow work is under way.
    var waiting: PendingRequests

    init(_ environment: Environment, _ waiting: PendingRequests = PendingRequests(CompletionQueue {})) {
        self.environment = environment
        self.waiting = waiting
        ids = IDSource(of: environment.store.slot)
    }

    private var topics: Topics { environment.topics }

    /// Begins the work of a batch, with a current catalog.
    mutating func beginWork(in tx: Transaction) throws -> UnitOfWork {
        try catalog.update(in: tx)
        var work = UnitOfWork(tx, topics: topics, limits: environment.limits, catalog: catalog, ids: ids)
        work.shards = environment.shards
        return work
    }

    /// Ends the work of a batch; returns its effects.
    mutating func endWork(_ work: UnitOfWork) -> Effects {
        ids = work.ids
        return work.effects
    }

    /// Prepares for a new connection: without a session the broker has kept no copies of requests that were refused for
    /// an absent worker.
    func begin(isSessionPresent: Bool, in tx: Transaction) throws {
        if !isSessionPresent { try tx.requests.forgetTurnedAway(of: environment.shards) }
    }

    /// Reads a request; an invalid request is refused and kept as a dead letter.
    ///
    /// `isKnown` says whether its method exists here.
    func decode(_ message: Inbound, as target: RequestTarget, isKnown: Bool, in work: inout UnitOfWork) -> AppRequest? {
        let reply = topics.replyAddress(message, of: target.app, on: target.terminal)
        do {
            return try AppRequest(
                message.payload,
                app: target.app,
                terminal: target.terminal,
                service: target.service,
                method: target.method,
                reply: reply,
                sourceAddress: message.sourceAddress,
                arrivedAt: message.arrivedAt,
                trace: message.trace
            )
        } catch {
            let trace = message.trace ?? .make()
            work.effects.deadLetter(message, unreadable: error, trace: trace)
            work.effects.publish(reply.message(AnswerCodec.refusal(error.id, error.rejection)))
            work.effects.observed.add(
                AnsweredRequest(
                    name: .init(target.service, target.method, isKnown: isKnown),
                    code: error.rejection.code.rawValue,
                    outcome: .deadLetter,
                    trace: trace,
                    arrivedAt: message.arrivedAt
                )
            )
            return nil
        }
    }

    /// Carries out a request once, even if it arrives several times, and queues its answer.
    ///
    /// A request that needs slow work first waits among the pending requests until the work is done.
    mutating func answer(_ request: AppRequest, with method: Method, in work: inout UnitOfWork) throws {
        let pending = PendingRequest(request: request, content: Sodium.sha256(request.content), method: method)
        do {
            guard var call = try begin(pending, in: &work) else { return }
            if try waiting.join(request, pending.content) { return }
            if let task = try prepare(&call, method, beside: work.effects.jobs) {
                return wait(pending, for: task, call: call, in: &work)
            }
            try run(pending, &call, in: &work)
        } catch let rejection as Rejection {
            try refuse(pending, rejection, in: &work)
        }
    }

    /// Carries out a request whose slow work is done.
    private mutating func answer(_ pending: PendingRequest, _ prepared: Prepared, in work: inout UnitOfWork) throws {
        if pending.isReserved { work.effects.settle(pending.request.reply.topic) }
        do {
            guard var call = try begin(pending, in: &work) else { return }
            if let refusal = prepared.refusal { throw refusal }
            call.prepared = prepared
            call.isPrepared = true
            try run(pending, &call, in: &work)
        } catch let rejection as Rejection {
            try refuse(pending, rejection, in: &work)
        } catch  where Failure.isMessages(error) {
            let rejection = Rejection(.internal, "The service failed on this request.")
            try refuse(pending, rejection, in: &work)
        }
    }

    /// Carries out requests whose slow work is done.
    mutating func answerReleased(atMost limit: Int, in work: inout UnitOfWork) throws {
        for (pending, prepared) in waiting.release(atMost: limit) {
            work.tx.beginPiece()
            try answer(pending, prepared, in: &work)
        }
    }

    /// Checks app, id and token; returns nil if the request was answered as a repeat.
    private func begin(_ pending: PendingRequest, in work: inout UnitOfWork) throws -> Call? {
        let request = pending.request
        guard let app = try work.app(request.app) else { throw Rejection(.forbidden, "The app is unknown.") }
        var known = try known(request, pending.content, in: work.tx)
        let (session, key) = try TokenCheck.caller(of: request, of: pending.method, in: work.tx)
        // Writing methods lock users themselves, in an order that a lock taken here would break; a login replaces the
        // session whose token it carries.
        if !pending.method.needsToken, pending.method.isReading { try TokenCheck.noteUse(of: request, in: work.tx) }
        if let did = known?.waitsFor?.did, try work.tx.lock(devices: [did]) {
            // The command may have ended meanwhile.
            known = try self.known(request, pending.content, in: work.tx)
        }
        if let known, try repeated(pending, known, in: &work) { return nil }
        try checkDisk(request.name, isReading: pending.method.isReading)
        return Call(
            request: request,
            app: app,
            session: session,
            key: key,
            environment: environment,
            work: work.branch()
        )
    }

    private func prepare(_ call: inout Call, _ method: Method, beside jobs: [BackgroundJob]) throws -> BackgroundTask? {
        guard let prepare = method.prepare else { return nil }
        return try call.tx.isolated {
            guard let task = try prepare(&call) else { return nil }
            try admit(task, call, beside: jobs)
            return task
        }
    }

    /// Refuses work if its pool has no room for it alongside the batch's other jobs, and counts hashes.
    private func admit(
        _ task: BackgroundTask,
        _ call: Call,
        beside jobs: [BackgroundJob]
    ) throws {
        guard waiting.bytes + call.request.bytes <= environment.limits.waitingBytes else {
            throw Rejection.poolIsFull
        }
        if case .events(let wait) = task {
            let others = jobs.compactMap { if case .events(let other) = $0.work { other } else { nil } }
            try environment.eventWatch.admit(wait, beside: others, environment.limits)
        }
        guard let pool = task.pool else { return }
        let refusal = environment.pool.refusal(
            of: Sender(call.request, task),
            in: pool,
            beside: jobs.filter { $0.work.pool == pool }.map(\.sender)
        )
        if let refusal { throw refusal }
        if pool == .password { try call.quotas.take(call.hashQuotas) }
    }

    /// Puts a request into the pending requests; its slow work begins after the commit.
    private mutating func wait(
        _ pending: PendingRequest,
        for task: BackgroundTask,
        call: Call,
        in work: inout UnitOfWork
    ) {
        work.merge(call.work)
        work.effects.submit(waiting.admit(pending, task))
    }

    private mutating func run(_ pending: PendingRequest, _ call: inout Call, in work: inout UnitOfWork) throws {
        let jobs = work.effects.jobs
        let reply =
            try pending.method.refusesFirst
            ? runLocked(pending.method, &call)
            : call.tx.isolated {
                let reply = try runLocked(pending.method, &call)
                if case .more(let task) = reply { try admit(task, call, beside: jobs) }
                return reply
            }
        if case .more(let task) = reply { return wait(pending, for: task, call: call, in: &work) }
        work.merge(call.work)
        try finish(pending, reply, in: &work)
    }

    private func runLocked(_ method: Method, _ call: inout Call) throws -> Reply {
        try method.locks.take(for: &call)
        return try method.run(&call)
    }

    /// Refuses a request whose worker is absent, and makes the worker refuse it too when it returns.
    ///
    /// The broker still delivers the request then, and a command of yesterday must not take effect. A repeat sent later
    /// is carried out.
    func refuseForAbsentWorker(_ request: AppRequest, _ rejection: Rejection, in work: inout UnitOfWork) throws {
        let content = Sodium.sha256(request.content)
        let known = try work.tx.requests.find(request.terminal.text, request.id)
        // The worker itself, when it returns, answers a request that took effect; answers of reading methods aren't
        // kept.
        let isKept = known.map { $0.answer != nil || $0.waitsFor != nil } ?? false
        if let known, isKept, known.turnedAway == nil { return }
        let answer = AnswerCodec.refusal(request.id, rejection)
        let sender = request.terminal.text
        if let times = known?.turnedAway {
            try work.tx.requests.refuseForAbsentWorker(sender, request.id, times: times + 1)
        } else {
            // The worker may have returned and carried it out meanwhile.
            let isNew =
                try work.tx.requests.keepRefusal(
                    sender,
                    request.id,
                    content: content,
                    answer: answer
                )
            guard isNew else { return }
        }
        work.effects.count(rejection)
        work.effects.observed.add(
            AnsweredRequest(request, isKnown: false, refusal: rejection)
        )
        work.effects.publish(request.reply.message(answer))
    }
}

/// The sender and the method of a request, as its topic names them.
struct RequestTarget {
    let app: AppID
    let terminal: TerminalID
    let service: String
    let method: String

    /// The method with its service, such as `device/bind`.
    var name: String { "\(service)/\(method)" }

    /// Reads a topic; nil if it isn't a request's topic.
    init?(_ topic: Topic) {
        guard case .request(let app, let terminal, let service, let method) = topic else { return nil }
        self.app = app
        self.terminal = terminal
        self.service = service
        self.method = method
    }
}

extension Topics {
    /// Returns the destination of an answer: the Response Topic if it is in the terminal's own space, otherwise the
    /// terminal's default topic.
    func replyAddress(_ message: Inbound, of app: AppID, on terminal: TerminalID) -> ReplyAddress {
        let asked = message.responseTopic.map { String(decoding: $0, as: UTF8.self) }
        let topic = asked.flatMap { isAnswerable($0, app, terminal: terminal) ? $0 : nil }
        return ReplyAddress(
            topic: topic ?? self.terminal(app, terminal, leaf: "response"),
            correlation: message.correlation.map { Array($0) },
            traceparent: message.trace == nil ? nil : message.traceparent.map { String(decoding: $0, as: UTF8.self) }
        )
    }
}
