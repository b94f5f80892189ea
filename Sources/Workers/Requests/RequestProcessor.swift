import Domain
import Sodium
import Storage
import Wire

/// The processor that checks requests, runs their methods, and stores the answers.
struct RequestProcessor {
    let environment: Environment
    private var catalog = Catalog()
    private var ids: IDSource
    /// The requests whose slow work is under way.
    var waiting: PendingRequests

    init(_ environment: Environment, _ waiting: PendingRequests = PendingRequests(CompletionQueue {})) {
        self.environment = environment
        self.waiting = waiting
        ids = IDSource(of: environment.store.slot)
    }

    private var topics: Topics { environment.topics }

    /// Begins the work of a batch with an up-to-date catalog.
    mutating func beginWork(in tx: Transaction) throws -> UnitOfWork {
        try catalog.update(in: tx)
        var work = UnitOfWork(tx, topics: topics, limits: environment.limits, catalog: catalog, ids: ids)
        work.shards = environment.shards
        return work
    }

    /// Ends the work of a batch, and returns the work's effects.
    mutating func endWork(_ work: UnitOfWork) -> Effects {
        ids = work.ids
        return work.effects
    }

    /// Prepares for a new connection to the broker.
    ///
    /// If the MQTT session was lost, the broker no longer delivers old requests. The records of requests that were
    /// refused in the worker's absence are therefore deleted.
    func begin(isSessionPresent: Bool, in tx: Transaction) throws {
        if !isSessionPresent { try tx.requests.forgetTurnedAway(of: environment.shards) }
    }

    /// Reads a request, or refuses it and keeps it as a dead letter.
    ///
    /// `isKnown` says whether the request's method exists in this worker.
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
    /// A request that first needs slow work waits among the pending requests.
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

    /// Checks a request's app, id and token, and returns nil if the request was handled as a repeat.
    private func begin(_ pending: PendingRequest, in work: inout UnitOfWork) throws -> Call? {
        let request = pending.request
        guard let app = try work.app(request.app) else { throw Rejection(.forbidden, "The app is unknown.") }
        var known = try known(request, pending.content, in: work.tx)
        let (session, key) = try TokenCheck.caller(of: request, of: pending.method, in: work.tx)
        // Recording a token's use locks the user. A method that writes must lock users in a fixed order, and this lock
        // would violate the order. Therefore, if a request contains a token although its method needs none, the token's
        // use is recorded only if the method changes nothing.
        if !pending.method.needsToken, pending.method.isReading { try TokenCheck.noteUse(of: request, in: work.tx) }
        if let did = known?.waitsFor?.did, try work.tx.lock(devices: [did]) {
            // Before the device was locked, the command of the earlier request with this id may have ended.
            known = try self.known(request, pending.content, in: work.tx)
        }
        if let known, try repeated(pending, known, in: &work) { return nil }
        try checkDisk(request.name, isReading: pending.method.isReading)
        let part = work.branch()
        return Call(request: request, app: app, session: session, key: key, environment: environment, work: part)
    }

    private func prepare(_ call: inout Call, _ method: Method, beside jobs: [BackgroundJob]) throws -> BackgroundTask? {
        guard let prepare = method.prepare else { return nil }
        return try call.tx.isolated {
            guard let task = try prepare(&call) else { return nil }
            try admit(task, call, beside: jobs)
            return task
        }
    }

    /// Refuses slow work if too much work is already waiting, and counts password hashing towards quotas.
    private func admit(_ task: BackgroundTask, _ call: Call, beside jobs: [BackgroundJob]) throws {
        guard waiting.bytes + call.request.bytes <= environment.limits.waitingBytes else { throw Rejection.poolIsFull }
        if case .events(let wait) = task {
            let others = jobs.compactMap { if case .events(let other) = $0.work { other } else { nil } }
            try environment.eventWatch.admit(wait, beside: others, environment.limits)
        }
        guard let pool = task.pool else { return }
        let (sender, others) = (Sender(call.request, task), jobs.filter { $0.work.pool == pool }.map(\.sender))
        if let refusal = environment.pool.refusal(of: sender, in: pool, beside: others) { throw refusal }
        if pool == .password { try call.quotas.take(call.hashQuotas) }
    }

    /// Adds a pending request, whose slow work begins after the commit.
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

    /// Refuses a request whose worker is absent, and stores the refusal, which the worker repeats when it returns.
    ///
    /// When the worker returns, the broker still delivers the refused request. The request must not take effect so
    /// late. If the client repeats the request after the worker has returned, the repeat is carried out.
    func refuseForAbsentWorker(_ request: AppRequest, _ rejection: Rejection, in work: inout UnitOfWork) throws {
        let content = Sodium.sha256(request.content)
        let known = try work.tx.requests.find(request.terminal.text, request.id)
        // If the request was already carried out, the worker will answer it when the worker returns.
        let isKept = known.map { $0.answer != nil || $0.waitsFor != nil } ?? false
        if let known, isKept, known.turnedAway == nil { return }
        let answer = AnswerCodec.refusal(request.id, rejection)
        let sender = request.terminal.text
        if let times = known?.turnedAway {
            try work.tx.requests.refuseForAbsentWorker(sender, request.id, times: times + 1)
        } else {
            // Meanwhile, the absent worker may be back and may have carried out the request.
            let requests = work.tx.requests
            guard try requests.keepRefusal(sender, request.id, content: content, answer: answer) else { return }
        }
        work.effects.count(rejection)
        work.effects.observed.add(AnsweredRequest(request, isKnown: false, refusal: rejection))
        work.effects.publish(request.reply.message(answer))
    }
}

/// The sender and the method that the topic of a request names.
struct RequestTarget {
    let app: AppID
    let terminal: TerminalID
    let service: String
    let method: String

    /// The method with its service, such as `device/bind`.
    var name: String { "\(service)/\(method)" }

    /// Reads a request's topic, or returns nil for any other topic.
    init?(_ topic: Topic) {
        guard case .request(let app, let terminal, let service, let method) = topic else { return nil }
        (self.app, self.terminal, self.service, self.method) = (app, terminal, service, method)
    }
}

extension Topics {
    /// Returns an answer's destination: the terminal's Response Topic, or else the default topic.
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
