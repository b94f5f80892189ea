import Domain
import Storage
import Wire

/// What a gateway answers on `system/outbound/result`, taken by the session worker.
enum GatewayAnswer {
    /// Writes down what a gateway says became of a message; one that is unknown, settled or over is
    /// nobody's.
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
