import Domain
import JSON
import Mosquitto
import Sodium
import Storage
import Wire

/// Accepts requests (envelope, repeats, token), runs their methods and writes their answers.
struct RequestProcessor {
    let environment: Environment
    var catalog = Catalog()
    var ids = IDSource()
    /// Requests whose slow work is under way.
    var waiting: PendingRequests

    init(
        _ environment: Environment,
        _ waiting: PendingRequests = PendingRequests(CompletionQueue {})
    ) {
        self.environment = environment
        self.waiting = waiting
    }

    private var topics: Topics { environment.topics }

    /// Prepares for a new connection: without a session the broker has kept no copies of the requests that were
    /// turned away.
    func begin(isSessionPresent: Bool, in tx: Transaction) throws {
        if !isSessionPresent { try tx.requests.forgetTurnedAway() }
    }

    /// Returns the destination of an answer: the Response Topic, if it is within the terminal's own space.
    func replyAddress(_ message: Inbound, _ app: AppID, _ terminal: TerminalID) -> ReplyAddress {
        let asked = message.responseTopic.map { String(decoding: $0, as: UTF8.self) }
        let topic = asked.flatMap { topics.isAnswerable($0, app, terminal) ? $0 : nil }
        return ReplyAddress(
            topic: topic ?? topics.terminal(app, terminal, "response"),
            correlation: message.correlation.map { Array($0) }
        )
    }

    /// Addresses an answer that was made without reading the request; nil if there is none, or if the message
    /// is not a request.
    func reply(to message: Inbound, _ answer: [UInt8]?) -> OutboundMessage? {
        guard case .request(let app, let terminal, _, _) = topics.parse(message.topic), let answer
        else { return nil }
        return replyAddress(message, app, terminal).message(answer)
    }

    /// Reads a request; a bad one is kept as a dead letter and refused.
    func decode(
        _ message: Inbound,
        _ app: AppID,
        _ terminal: TerminalID,
        service: String,
        method: String,
        effects: inout Effects
    ) -> AppRequest? {
        let reply = replyAddress(message, app, terminal)
        do {
            return try RequestCodec.decode(
                message.payload,
                app: app,
                terminal: terminal,
                service: service,
                method: method,
                reply: reply,
                sourceAddress: message.sourceAddress
            )
        } catch {
            effects.deadLetter(message, unreadable: error)
            effects.publish(reply.message(AnswerCodec.refusal(error.id, error.rejection)))
            return nil
        }
    }

    /// Carries out a request once, even if it comes several times, and queues its answer.
    ///
    /// A request that first needs slow work waits in the pending requests, and comes back from there.
    mutating func answer(
        _ request: AppRequest,
        with method: Method,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        let pending = PendingRequest(
            request: request,
            content: Sodium.sha256(RequestCodec.content(of: request)),
            method: method
        )
        do {
            guard var call = try begin(pending, in: tx, effects: &effects) else { return }
            if try waiting.join(request, pending.content) { return }
            if let work = try prepare(&call, method, effects.jobs) {
                return wait(pending, for: work, call, effects: &effects)
            }
            try run(pending, &call, effects: &effects)
        } catch let rejection as Rejection {
            try refuse(pending, rejection, in: tx, effects: &effects)
        }
    }

    /// Carries out a request whose slow work is done.
    mutating func answer(
        _ pending: PendingRequest,
        _ prepared: Prepared,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        do {
            guard var call = try begin(pending, in: tx, effects: &effects) else { return }
            if let refusal = prepared.refusal { throw refusal }
            call.prepared = prepared
            call.isPrepared = true
            try run(pending, &call, effects: &effects)
        } catch let rejection as Rejection {
            try refuse(pending, rejection, in: tx, effects: &effects)
        } catch  where Failure.isMessages(error) {
            let rejection = Rejection(.internal, "The service failed on this request.")
            try refuse(pending, rejection, in: tx, effects: &effects)
        }
    }

    /// Checks app, id and token; nil if the request was answered as a repeat.
    private func begin(
        _ pending: PendingRequest,
        in tx: Transaction,
        effects: inout Effects
    ) throws -> Call? {
        let request = pending.request
        guard let app = catalog.app(request.app) else {
            throw Rejection(.forbidden, "The app is unknown.")
        }
        let known = try known(request, pending.content, in: tx)
        let session = try pending.method.needsToken ? TokenCheck.session(of: request, in: tx) : nil
        if let known, try repeated(pending, known, in: tx, effects: &effects) { return nil }
        try checkDisk(request.name, isReading: pending.method.isReading)
        return Call(
            request: request,
            app: app,
            session: session,
            tx: tx,
            environment: environment,
            catalog: catalog,
            ids: ids
        )
    }

    private func prepare(
        _ call: inout Call,
        _ method: Method,
        _ jobs: [BackgroundJob]
    ) throws -> BackgroundTask? {
        guard let prepare = method.prepare else { return nil }
        return try call.tx.isolated {
            guard let work = try prepare(&call) else { return nil }
            try admit(work, call, jobs)
            return work
        }
    }

    /// Refuses work if its lane has no room for it next to the batch's other jobs, and counts hashes.
    private func admit(_ work: BackgroundTask, _ call: Call, _ jobs: [BackgroundJob]) throws {
        guard waiting.bytes + call.request.bytes <= environment.limits.waitingBytes else {
            throw Rejection.laneIsFull
        }
        guard let lane = work.lane else { return }
        let refusal = environment.pool.refusal(
            of: Sender(call.request, work),
            in: lane,
            beside: jobs.filter { $0.work.lane == lane }.map(\.sender)
        )
        if let refusal { throw refusal }
        if lane == .password { try call.quotas.take(call.hashQuotas) }
    }

    /// Puts a request into the pending requests; its slow work begins after the commit.
    private mutating func wait(
        _ pending: PendingRequest,
        for work: BackgroundTask,
        _ call: Call,
        effects: inout Effects
    ) {
        ids = call.ids
        effects.add(call.effects)
        effects.submit(waiting.admit(pending, work))
    }

    private mutating func run(
        _ pending: PendingRequest,
        _ call: inout Call,
        effects: inout Effects
    ) throws {
        let jobs = effects.jobs
        let reply =
            try pending.method.refusesFirst
            ? pending.method.run(&call)
            : call.tx.isolated {
                let reply = try pending.method.run(&call)
                if case .more(let work) = reply { try admit(work, call, jobs) }
                return reply
            }
        if case .more(let work) = reply { return wait(pending, for: work, call, effects: &effects) }
        ids = call.ids
        effects.add(call.effects)
        try finish(pending, reply, in: call.tx, effects: &effects)
    }

    /// Refuses a request whose worker is away, and makes the worker refuse it too when it comes back.
    ///
    /// The broker still delivers the request then, and a command of yesterday must not take effect. A repeat sent later
    /// is carried out.
    func refuseForAbsentWorker(
        _ request: AppRequest,
        _ rejection: Rejection,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        let content = Sodium.sha256(RequestCodec.content(of: request))
        let known = try tx.requests.find(request.terminal.text, request.id)
        // The worker answers a request that took effect when it is back; answers of reading methods aren't kept.
        let isKept = known.map { $0.answer != nil || $0.waitsFor != nil } ?? false
        if let known, isKept, known.turnedAway == nil { return }
        let answer = AnswerCodec.refusal(request.id, rejection)
        effects.count(rejection)
        effects.publish(request.reply.message(answer))
        let sender = request.terminal.text
        if let times = known?.turnedAway {
            return try tx.requests.refuseForAbsentWorker(sender, request.id, times: times + 1)
        }
        try tx.requests.save(
            sender,
            request.id,
            content: content,
            answer: answer,
            isSecret: false,
            turnedAway: 1
        )
    }
}
