import Domain
import JSON
import Mosquitto
import Sodium
import Storage
import Wire

/// Takes requests in: envelope, repeats, token; and gives answers out.
struct RequestDesk {
    let environment: Environment
    var catalog = Catalog()
    var ids = IDSource()

    init(_ environment: Environment) {
        self.environment = environment
    }

    private var topics: Topics { environment.topics }

    /// Where the answer to a message goes: where it asks for it, within the terminal's own space.
    func replyAddress(_ message: Inbound, _ app: AppID, _ terminal: TerminalID) -> ReplyAddress {
        let asked = message.responseTopic.map { String(decoding: $0, as: UTF8.self) }
        let topic = asked.flatMap { topics.isAnswerable($0, app, terminal) ? $0 : nil }
        return ReplyAddress(
            topic: topic ?? topics.terminal(app, terminal, "response"),
            correlation: message.correlation.map { Array($0) }
        )
    }

    /// Reads a request; a bad one is put aside and refused.
    func decode(
        _ message: Inbound,
        _ app: AppID,
        _ terminal: TerminalID,
        service: String,
        method: String,
        owed: inout Owed
    ) -> AppRequest? {
        let reply = replyAddress(message, app, terminal)
        do {
            return try RequestCodec.decode(
                message.payload,
                app: app,
                terminal: terminal,
                service: service,
                method: method,
                reply: reply
            )
        } catch {
            owed.putAside(
                .malformed,
                error.reason,
                topic: message.topicText,
                payload: Payload.shape(of: message.payload),
                isShapeOnly: true
            )
            owed.count(error.rejection)
            owed.publish(reply.message(AnswerCodec.refusal(error.id, error.rejection)))
            return nil
        }
    }

    /// Carries a request out once, whatever the number of times that it comes, and owes its answer.
    mutating func answer(
        _ request: AppRequest,
        with method: Method,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        let content = Sodium.sha256(RequestCodec.content(of: request))
        do {
            guard let app = catalog.app(request.app) else {
                throw Rejection(.forbidden, "The app is unknown.")
            }
            let known = try known(request, content, in: tx)
            let session = try method.needsToken ? self.session(of: request, in: tx) : nil
            if let known, try repeated(request, known, method, in: tx, owed: &owed) { return }
            var call = Call(
                request: request,
                app: app,
                session: session,
                tx: tx,
                environment: environment,
                catalog: catalog,
                ids: ids
            )
            let reply = try tx.isolated { try method.run(&call) }
            ids = call.ids
            owed.add(call.owed)
            try finish(request, content, reply, method, in: tx, owed: &owed)
        } catch let rejection as Rejection {
            try refuse(request, content, rejection, in: tx, owed: &owed)
        }
    }

    /// Refuses a request for good, since its own worker will still find it when it comes back: the
    /// id is taken, so that nobody is surprised by a command of yesterday.
    func turnAway(
        _ request: AppRequest,
        _ rejection: Rejection,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        let content = Sodium.sha256(RequestCodec.content(of: request))
        if try tx.requests.find(request.terminal.text, request.id) != nil { return }
        let answer = AnswerCodec.refusal(request.id, rejection)
        owed.count(rejection)
        owed.publish(request.reply.message(answer))
        try tx.requests.save(
            request.terminal.text,
            request.id,
            content: content,
            answer: answer,
            isSecret: false
        )
    }

    // MARK: Repeats

    private func known(
        _ request: AppRequest,
        _ content: [UInt8],
        in tx: Transaction
    ) throws -> RequestTable.Known? {
        let oldest = tx.now.adding(seconds: -environment.limits.requestSeconds)
        guard let known = try tx.requests.find(request.terminal.text, request.id),
            known.at > oldest
        else { return nil }
        guard known.content == content else {
            throw Rejection.invalid("id", "This id was used for another request.")
        }
        return known
    }

    /// Answers a repeat as the first time, or has it wait with the first; false when it is to be
    /// carried out anew.
    private func repeated(
        _ request: AppRequest,
        _ known: RequestTable.Known,
        _ method: Method,
        in tx: Transaction,
        owed: inout Owed
    ) throws -> Bool {
        if let (did, cid) = known.waitsFor {
            try tx.commands.wait(did, cid, waiter(request))
            return true
        }
        guard let answer = known.answer else { return !method.isReading }
        owed.publish(request.reply.message(answer), isSecret: true)
        return true
    }

    private func waiter(_ request: AppRequest) -> Waiter {
        Waiter(
            terminal: request.terminal,
            requestID: request.id,
            topic: request.reply.topic,
            correlation: request.reply.correlation
        )
    }

    // MARK: Tokens

    /// The live session of the request's token, which must be this terminal's and that user's.
    private func session(of request: AppRequest, in tx: Transaction) throws -> Session {
        guard let token = request.token, !token.isEmpty else {
            throw Rejection(.invalidToken, "This method needs a session's token.", field: "token")
        }
        guard let session = try tx.sessions.find(token: token),
            session.terminal == request.terminal, session.app == request.app
        else { throw Rejection(.invalidToken, "The token is not valid here.", field: "token") }
        if let refusal = session.refusal(at: tx.now) { throw refusal }
        if let uid = request.uid, uid != session.uid.text {
            throw Rejection(.invalidToken, "The token is another user's.", field: "uid")
        }
        try tx.sessions.use(token, of: session)
        return session
    }

    // MARK: Answers

    private func finish(
        _ request: AppRequest,
        _ content: [UInt8],
        _ reply: Reply,
        _ method: Method,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        switch reply {
        case .result(let result, let isSecret):
            let answer = AnswerCodec.success(request.id, result: result)
            owed.publish(request.reply.message(answer), isSecret: isSecret)
            try tx.requests.save(
                request.terminal.text,
                request.id,
                content: content,
                answer: method.isReading ? nil : answer,
                isSecret: isSecret
            )
        case .refusal(let rejection):
            try refuse(request, content, rejection, in: tx, owed: &owed)
        case .later(let did, let cid):
            try tx.commands.wait(did, cid, waiter(request))
            try tx.requests.save(
                request.terminal.text,
                request.id,
                content: content,
                answer: nil,
                isSecret: false,
                waitsFor: (did, cid)
            )
        }
    }

    /// Refuses a request; a refusal that would come out the same again is kept for repeats.
    private func refuse(
        _ request: AppRequest,
        _ content: [UInt8],
        _ rejection: Rejection,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        owed.count(rejection)
        let answer = AnswerCodec.refusal(request.id, rejection)
        owed.publish(request.reply.message(answer))
        guard !rejection.code.isPassing, rejection.code != .invalidToken, rejection.field != "id"
        else { return }
        try tx.requests.save(
            request.terminal.text,
            request.id,
            content: content,
            answer: answer,
            isSecret: false
        )
    }
}

extension Owed {
    /// Adds what a piece of work owes.
    mutating func add(_ other: Owed) {
        for message in other.messages { publish(message, isSecret: other.isSecret) }
        for (worker, messages) in other.others {
            for message in messages { publish(message, by: worker) }
        }
        for worker in other.woken { wake(worker) }
    }
}
