import Domain
import JSON
import Storage
import Wire

/// Answers, including those to repeats.
extension RequestDesk {
    // MARK: Repeats

    /// Returns the record of an earlier request with the same id and content; nil for a new one.
    ///
    /// - Throws: `Rejection` if the id was used for another request.
    func known(
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

    /// Answers a repeat as the first time, or lets it wait with the first; false if it must be carried out
    /// again.
    func repeated(
        _ guest: WaitingRoom.Guest,
        _ known: RequestTable.Known,
        in tx: Transaction,
        owed: inout Owed
    ) throws -> Bool {
        if let (did, cid) = known.waitsFor {
            try tx.commands.wait(did, cid, waiter(guest.request))
            return true
        }
        if let times = known.turnedAway {
            try tx.requests.turnAway(
                guest.request.terminal.text,
                guest.request.id,
                times: times - 1
            )
        }
        guard let answer = known.answer else { return !guest.method.isReading }
        publish(answer, to: guest, isSecret: true, owed: &owed)
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

    // MARK: Answers

    private func publish(
        _ answer: [UInt8],
        to guest: WaitingRoom.Guest,
        isSecret: Bool,
        owed: inout Owed
    ) {
        for reply in [guest.request.reply] + guest.others {
            owed.publish(reply.message(answer), isSecret: isSecret)
        }
    }

    /// Answers a request that was carried out, and keeps the answer for repeats.
    func finish(
        _ guest: WaitingRoom.Guest,
        _ reply: Reply,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        let request = guest.request
        switch reply {
        case .result(let result, let isSecret):
            let answer = AnswerCodec.success(request.id, result: result)
            publish(answer, to: guest, isSecret: isSecret, owed: &owed)
            try tx.requests.save(
                request.terminal.text,
                request.id,
                content: guest.content,
                answer: guest.method.isReading ? nil : answer,
                isSecret: isSecret
            )
        case .refusal(let rejection):
            try refuse(guest, rejection, in: tx, owed: &owed)
        case .more: preconditionFailure("A request that needs more work waits for it.")
        case .later(let did, let cid):
            try tx.commands.wait(did, cid, waiter(request))
            try tx.requests.save(
                request.terminal.text,
                request.id,
                content: guest.content,
                answer: nil,
                isSecret: false,
                waitsFor: (did, cid)
            )
        }
    }

    /// Refuses a request; a refusal that would not change is kept for repeats.
    func refuse(
        _ guest: WaitingRoom.Guest,
        _ rejection: Rejection,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        owed.count(rejection)
        let answer = AnswerCodec.refusal(guest.request.id, rejection)
        publish(answer, to: guest, isSecret: false, owed: &owed)
        guard guest.method.isKnown, !rejection.code.isPassing, rejection.code != .invalidToken,
            rejection.field != "id"
        else { return }
        try tx.requests.save(
            guest.request.terminal.text,
            guest.request.id,
            content: guest.content,
            answer: answer,
            isSecret: false
        )
    }
}
