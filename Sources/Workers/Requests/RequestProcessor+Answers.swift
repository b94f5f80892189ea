import Domain
import Storage
import Wire

/// The answers to requests and to their repeats.
extension RequestProcessor {
    // MARK: Repeats

    /// Returns the record of an earlier request with the same id and content; nil for a new request.
    ///
    /// - Throws: `Rejection` if the id was used for another request.
    func known(_ request: AppRequest, _ content: [UInt8], in tx: Transaction) throws -> RequestTable.Known? {
        let remembered = environment.clockHistory.moments(
            ofLast: environment.limits.requestSeconds,
            by: environment.clock
        )
        guard let known = try tx.requests.find(request.terminal.text, request.id), known.at > remembered.lowerBound
        else { return nil }
        guard known.content == content else { throw Rejection.invalid("id", "This id was used for another request.") }
        return known
    }

    /// Answers a repeat like the first request, or lets it wait with the first; returns false if it must be carried
    /// out.
    func repeated(_ pending: PendingRequest, _ known: RequestTable.Known, in work: inout UnitOfWork) throws -> Bool {
        if let (did, cid) = known.waitsFor {
            try work.tx.commands.addWaiter(waiter(pending.request), for: did, cid: cid)
            return true
        }
        if let times = known.turnedAway {
            try work.tx.requests.refuseForAbsentWorker(
                pending.request.terminal.text,
                pending.request.id,
                times: times - 1
            )
        }
        guard let answer = known.answer else { return !pending.method.isReading }
        work.effects.observed.add(AnsweredRequest(repeatOf: pending))
        publish(answer, to: pending, isSecret: true, in: &work)
        return true
    }

    private func waiter(_ request: AppRequest) -> Waiter {
        Waiter(
            terminal: request.terminal,
            requestID: request.id,
            topic: request.reply.topic,
            correlation: request.reply.correlation,
            traceparent: request.reply.traceparent
        )
    }

    // MARK: Answers

    private func publish(_ answer: [UInt8], to pending: PendingRequest, isSecret: Bool, in work: inout UnitOfWork) {
        for reply in [pending.request.reply] + pending.others {
            work.effects.publish(reply.message(answer), isSecret: isSecret)
        }
    }

    /// Answers a request that was carried out, and keeps the answer for repeats.
    func finish(
        _ pending: PendingRequest,
        _ reply: Reply,
        in work: inout UnitOfWork
    ) throws {
        let request = pending.request
        switch reply {
        case .result(let result, let isSecret):
            let answer = AnswerCodec.success(request.id, result: result)
            work.effects.observed.add(AnsweredRequest(pending))
            publish(answer, to: pending, isSecret: isSecret, in: &work)
            try work.tx.requests.save(
                request.terminal.text,
                request.id,
                content: pending.content,
                answer: pending.method.isReading ? nil : answer,
                isSecret: isSecret
            )
        case .encoded(let result):
            let answer = AnswerCodec.success(request.id, encoded: result)
            work.effects.observed.add(AnsweredRequest(pending))
            for reply in [request.reply] + pending.others { work.effects.publish(reading: reply.message(answer)) }
            try work.tx.requests.save(
                request.terminal.text,
                request.id,
                content: pending.content,
                answer: nil,
                isSecret: false
            )
        case .refusal(let rejection):
            try refuse(pending, rejection, in: &work)
        case .more: preconditionFailure("A request that still needs more work must not be answered yet.")
        case .later(let did, let cid):
            try work.tx.commands.addWaiter(waiter(request), for: did, cid: cid)
            try work.tx.requests.save(
                request.terminal.text,
                request.id,
                content: pending.content,
                answer: nil,
                isSecret: false,
                waitsFor: (did, cid)
            )
        }
    }

    /// Refuses a request; keeps the refusal for repeats if a repeat would be refused for the same reason.
    func refuse(
        _ pending: PendingRequest,
        _ rejection: Rejection,
        in work: inout UnitOfWork
    ) throws {
        work.effects.count(rejection)
        work.effects.observed.add(AnsweredRequest(pending, refusal: rejection))
        let answer = AnswerCodec.refusal(pending.request.id, rejection)
        publish(answer, to: pending, isSecret: false, in: &work)
        guard pending.method.isKnown, !rejection.code.isPassing, rejection.code != .invalidToken,
            rejection.field != "id"
        else { return }
        try work.tx.requests.save(
            pending.request.terminal.text,
            pending.request.id,
            content: pending.content,
            answer: answer,
            isSecret: false
        )
    }
}
