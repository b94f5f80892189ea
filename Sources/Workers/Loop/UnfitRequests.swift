import Domain
import Mosquitto
import Wire

/// Requests that are refused for what stands around them, before they cost a transaction: one that carries
/// more MQTT 5 Correlation Data than is given back (PROTOCOL 1.1).
///
/// The gate has taken that out, so that neither a queue nor the outbox ever holds it. The answer needs no outbox
/// either: until it has left the request isn't acknowledged, and comes again.
enum UnfitRequests {
    private static let rejection = Rejection.invalid(
        "correlationData",
        "The Correlation Data is longer than 128 bytes."
    )

    /// Takes them out of a batch; gives their answers, and how many there were of each code.
    ///
    /// One that can't be answered stays in, and is dealt with as any bad message.
    static func part(
        _ batch: inout [Inbound],
        _ handler: some BatchHandler
    ) -> (answers: [OutboundMessage], counts: [String: Int]) {
        guard batch.contains(where: \.isCorrelationTooLong) else { return ([], [:]) }
        var answers: [OutboundMessage] = []
        batch.removeAll { message in
            guard message.isCorrelationTooLong,
                let answer = handler.refusal(of: message, rejection)
            else { return false }
            answers.append(answer)
            return true
        }
        return (answers, [rejection.code.rawValue: answers.count])
    }
}

extension Inbound {
    /// The answer that refuses it; nil without an id.
    func refusal(_ rejection: Rejection) -> [UInt8]? {
        guard let object = try? Payload.object(payload), let id = Payload.id(of: object) else {
            return nil
        }
        return AnswerCodec.refusal(id, rejection)
    }
}
