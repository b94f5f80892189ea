import Domain
import Wire

/// The refusal of requests with too much MQTT 5 Correlation Data, before they cost a transaction.
///
/// The gate has removed the data, so that neither a queue nor the outbox ever holds it. The answer
/// needs no outbox either: it is sent before the request's acknowledgement. If the worker ends
/// between the two, a sender without an answer repeats the request.
enum UnfitRequests {
    private static let rejection = Rejection.invalid(
        "correlationData",
        "The Correlation Data is longer than 128 bytes."
    )

    /// Removes such requests from a batch; returns their answers and the observations of their
    /// refusals.
    ///
    /// A request that can't be answered stays in the batch, and is handled like any bad message.
    static func part(
        _ batch: inout [Inbound],
        _ handler: some BatchHandler
    ) -> (answers: [OutboundMessage], refused: [RefusedMessage]) {
        guard batch.contains(where: \.isCorrelationTooLong) else { return ([], []) }
        var parted: (answers: [OutboundMessage], refused: [RefusedMessage]) = ([], [])
        batch.removeAll { message in
            message.isCorrelationTooLong && refuse(message, rejection, by: handler, into: &parted)
        }
        return parted
    }

    /// Refuses a request without a transaction; returns false if it can't be answered.
    @discardableResult
    static func refuse(
        _ message: Inbound,
        _ rejection: Rejection,
        by handler: some BatchHandler,
        into parted: inout (answers: [OutboundMessage], refused: [RefusedMessage])
    ) -> Bool {
        guard let answer = handler.refusal(of: message, rejection) else { return false }
        parted.answers.append(answer)
        parted.refused.append(
            RefusedMessage(
                topic: message.topicText,
                code: rejection.code.rawValue,
                trace: message.trace ?? .make()
            )
        )
        return true
    }
}

extension Inbound {
    /// Returns the answer that refuses the request; nil if it has no id.
    func refusal(_ rejection: Rejection) -> [UInt8]? {
        guard let object = try? Payload.object(payload), let id = Payload.id(of: object) else {
            return nil
        }
        return AnswerCodec.refusal(id, rejection)
    }
}
