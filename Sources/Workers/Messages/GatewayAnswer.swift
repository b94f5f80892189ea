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
        owed: inout Owed
    ) throws {
        let result: DeliveryCodec.Result
        do {
            result = try DeliveryCodec.decode(message.payload)
        } catch {
            return owed.putAside(message, unreadable: error)
        }
        guard let row = try tx.deliveries.find(result.id), row.tries > 0, !row.delivery.isDummy
        else { return }
        let desk = environment.deliveryDesk
        if result.isSent {
            try desk.sent(row, environment.topics, in: tx, owed: &owed)
        } else {
            let reason = result.error ?? "no reason given"
            let failure = result.isFinal ? DeliveryFailure.final(reason) : .refused(reason)
            try desk.failed(row, failure, environment, in: tx, owed: &owed)
        }
    }
}
