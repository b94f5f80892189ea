import Domain
import Storage
import Wire

/// The handling of a gateway's answers on `system/outbound/result` by the session worker.
///
/// The reference describes the rules (delivery#gateway).
enum GatewayAnswer {
    /// Stores the outcome that a gateway reports; ignores answers about messages that are unknown, finished or expired.
    static func take(_ message: Inbound, _ outcomes: MessageOutcomes, in work: inout UnitOfWork) throws {
        guard let result = work.decode(message, with: OutgoingMessageCodec.decode),
            let row = try work.tx.outgoingMessages.find(result.id), row.tries > 0, !row.message.isDummy
        else { return }
        if result.isSent {
            try outcomes.sent(row, by: Route.gatewayName, in: &work)
        } else {
            let reason = result.error ?? "no reason given"
            let failure = result.isFinal ? MessageFailure.final(reason) : .refused(reason)
            try outcomes.failed(row, failure, by: Route.gatewayName, in: &work)
        }
    }
}
