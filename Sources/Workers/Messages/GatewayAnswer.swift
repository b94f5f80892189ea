import Domain
import Storage
import Wire

/// Handles a gateway's answers on `system/outbound/result`, for the session worker.
enum GatewayAnswer {
    /// Stores the outcome that a gateway reports; ignores answers about unknown, settled or expired
    /// messages.
    static func take(
        _ message: Inbound,
        _ environment: Environment,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        let result: OutgoingMessageCodec.Result
        do {
            result = try OutgoingMessageCodec.decode(message.payload)
        } catch {
            return effects.deadLetter(message, unreadable: error)
        }
        guard let row = try tx.outgoingMessages.find(result.id), row.tries > 0, !row.message.isDummy
        else { return }
        let outcomes = environment.messageOutcomes
        if result.isSent {
            try outcomes.sent(row, environment.topics, in: tx, effects: &effects)
        } else {
            let reason = result.error ?? "no reason given"
            let failure = result.isFinal ? MessageFailure.final(reason) : .refused(reason)
            try outcomes.failed(row, failure, environment, in: tx, effects: &effects)
        }
    }
}
