import Domain
import Storage
import Wire

/// The answers to requests and to repeated requests.
extension RequestProcessor {
    // MARK: Repeats

    /// Returns the record of an earlier request with this id, or throws if that request had different content.
    func known(_ request: AppRequest, _ content: [UInt8], in tx: Transaction) throws -> RequestTable.Known? {
        let seconds = environment.limits.requestSeconds
        let remembered = environment.clockHistory.moments(ofLast: seconds, by: environment.clock)
        guard let known = try tx.requests.find(request.terminal.text, request.id), known.at > remembered.lowerBound
        else { return nil }
        guard known.content == content else { throw Rejection.invalid("id", "This id was used for another request.") }
        return known
    }

    /// Answers a repeated request like the first request, or returns false if the repeat must be carried out.
    func repeated(_ pending: PendingRequest, _ known: RequestTable.Known, in work: inout UnitOfWork) throws -> Bool {
        let request = pending.request
        if let (did, cid) = known.waitsFor {
            try work.tx.commands.addWaiter(waiter(request), for: did, cid: cid)
            return true
        }
        if let times = known.turnedAway {
            try work.tx.requests.refuseForAbsentWorker(request.terminal.text, request.id, times: times - 1)
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
    func finish(_ pending: PendingRequest, _ reply: Reply, in work: inout UnitOfWork) throws {
        let request = pending.request
        switch reply {
        case .result(let result, let isSecret):
            let answer = AnswerCodec.success(request.id, result: result)
            work.effects.observed.add(AnsweredRequest(pending))
            publish(answer, to: pending, isSecret: isSecret, in: &work)
            try keep(pending.method.isReading ? nil : answer, of: pending, isSecret: isSecret, in: work.tx)
        case .encoded(let result):
            let answer = AnswerCodec.success(request.id, encoded: result)
            work.effects.observed.add(AnsweredRequest(pending))
            for reply in [request.reply] + pending.others { work.effects.publish(reading: reply.message(answer)) }
            try keep(nil, of: pending, in: work.tx)
        case .refusal(let rejection): try refuse(pending, rejection, in: &work)
        case .more: preconditionFailure("A request that still needs more work must not be answered yet.")
        case .later(let did, let cid):
            try work.tx.commands.addWaiter(waiter(request), for: did, cid: cid)
            try keep(nil, of: pending, waitsFor: (did, cid), in: work.tx)
        }
    }

    /// Stores a request, and its answer if there is one, for repeats.
    private func keep(
        _ answer: [UInt8]?,
        of pending: PendingRequest,
        isSecret: Bool = false,
        waitsFor: (DeviceID, Int64)? = nil,
        in tx: Transaction
    ) throws {
        let (sender, id, content) = (pending.request.terminal.text, pending.request.id, pending.content)
        try tx.requests.save(sender, id, content: content, answer: answer, isSecret: isSecret, waitsFor: waitsFor)
    }

    /// Refuses a request, and stores the refusal if it also applies to repeats.
    func refuse(_ pending: PendingRequest, _ rejection: Rejection, in work: inout UnitOfWork) throws {
        work.effects.count(rejection)
        work.effects.observed.add(AnsweredRequest(pending, refusal: rejection))
        let answer = AnswerCodec.refusal(pending.request.id, rejection)
        publish(answer, to: pending, isSecret: false, in: &work)
        guard pending.method.isKnown, !rejection.code.isPassing, rejection.code != .invalidToken,
            rejection.field != "id"
        else { return }
        try keep(answer, of: pending, in: work.tx)
    }
}
