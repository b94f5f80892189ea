import Domain
import Wire

/// The refusal of requests whose MQTT 5 Correlation Data was too long.
///
/// The gate has removed the data, so neither a queue nor the outbox contains the data. The refusal needs no
/// transaction. The answer needs no outbox, since a sender that gets no answer repeats its request.
enum UnfitRequests {
    private static let rejection = Rejection.invalid(
        "correlationData",
        "The Correlation Data is longer than 128 bytes."
    )

    /// Removes requests with overlong data from a batch, and returns an answer and a `RefusedMessage` for each request.
    ///
    /// A request that can't be answered stays in the batch. It is handled like any bad message.
    static func part(
        _ batch: inout [Inbound],
        _ handler: some BatchHandler,
        on topics: Topics
    ) -> (answers: [OutboundMessage], refused: [RefusedMessage]) {
        var parted: (answers: [OutboundMessage], refused: [RefusedMessage]) = ([], [])
        guard batch.contains(where: \.isCorrelationTooLong) else { return parted }
        batch.removeAll { message in
            guard message.isCorrelationTooLong else { return false }
            let answer = topics.refusal(of: message, rejection, by: handler)
            return refuse(message, rejection, with: answer, into: &parted)
        }
        return parted
    }

    /// If `answer` isn't nil, adds the answer and the refused message to `parted`, and returns true.
    @discardableResult
    static func refuse(
        _ message: Inbound,
        _ rejection: Rejection,
        with answer: OutboundMessage?,
        into parted: inout (answers: [OutboundMessage], refused: [RefusedMessage])
    ) -> Bool {
        guard let answer else { return false }
        parted.answers.append(answer)
        let trace = message.trace ?? .make()
        parted.refused.append(RefusedMessage(topic: message.topicText, code: rejection.code.rawValue, trace: trace))
        return true
    }
}

extension Topics {
    /// Returns the refusal that answers a message.
    ///
    /// The result is nil if the message isn't for this worker or has no id. It is also nil if messages on the topic get
    /// no answers.
    func refusal(of message: Inbound, _ rejection: Rejection, by handler: some BatchHandler) -> OutboundMessage? {
        guard !handler.isForOthers([message]), let object = try? Payload.object(message.payload),
            let id = Payload.id(of: object)
        else { return nil }
        let answer = AnswerCodec.refusal(id, rejection)
        return switch parse(message.topic) {
        case .request(let app, let terminal, _, _): replyAddress(message, of: app, on: terminal).message(answer)
        case .report(let did), .info(let did): OutboundMessage(response(did), answer)
        case .register(let key, let mac): OutboundMessage(registered(key, mac), answer)
        default: nil
        }
    }
}
