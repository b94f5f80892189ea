import Domain
import Storage
import Wire

/// How the session worker handles answers of gateways on `system/outbound/result` (reference: delivery#gateway).
enum GatewayAnswer {
    /// Stores an outcome from a gateway, unless the message is unknown, finished or expired.
    static func take(_ message: Inbound, _ outcomes: MessageOutcomes, in work: inout UnitOfWork) throws {
        guard let result = work.decode(message, with: OutgoingMessageCodec.decode),
            let row = try work.tx.lock({ try work.tx.outgoingMessages.find(result.id) }, naming: users(of:)),
            row.tries > 0, !row.message.isDummy
        else { return }
        if result.isSent {
            try outcomes.sent(row, by: Route.gatewayName, in: &work)
        } else {
            let reason = result.error ?? "no reason given"
            let failure = result.isFinal ? MessageFailure.final(reason) : .refused(reason)
            let isGone = result.isGone && row.message.push != nil
            try outcomes.failed(row, isGone ? .gone : failure, by: Route.gatewayName, in: &work)
        }
    }

    /// Returns the users to lock: the recipient of a push, or an empty list for other messages.
    private static func users(of row: OutgoingMessageTable.Due?) -> (users: [UserID], devices: [DeviceID]) {
        (users: [row?.message.push?.address.uid].compactMap(\.self), devices: [])
    }
}
