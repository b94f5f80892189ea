package import Domain
import Providers
import Storage

/// A test push, with which a user or an operator checks that pushes reach a terminal.
package enum PushTest {
    /// Returns a function that sends a test push to an address immediately, instead of putting the push in the queue.
    ///
    /// Only a push for a gateway is put in the queue, and the function reports such a push as sent.
    package static func prepare(
        _ address: PushAddress,
        by environment: Environment,
        in work: inout UnitOfWork
    ) throws -> @Sendable () async -> PushEnd {
        let payload = try NotificationBatch.plain("test", for: address.uid, in: work)
        let push = OutgoingPush(to: address, of: nil, payload: payload)
        guard let app = try work.app(address.app), app.push.has(address.kind), let key = work.tx.webPushKey(of: app.id)
        else { return { .notConfigured } }
        guard address.kind != .gateway else {
            _ = try PushQueue.add(push, in: &work)
            return { .sent }
        }
        let id = MessageID(trusted: work.makeID("m"))
        let expiry = work.now.adding(seconds: OutgoingMessage.pushSeconds)
        var delivery = PushDelivery(push, message: id, from: app, key: key, expiresAt: expiry)
        delivery.mayBegin = {
            (try? environment.store.read { try $0.pushAddresses.find(address.terminal)?.address }) == address.address
        }
        return { [pushes = environment.pushes, delivery] in await pushes.end(of: delivery) }
    }

    /// Records a test push's outcome, or deletes an address unknown to the push service.
    package static func end(_ end: PushEnd, of address: PushAddress, in work: UnitOfWork) throws {
        try work.tx.lock(users: [address.uid])
        try work.end(OutgoingPush(to: address, of: nil, payload: []), as: end)
    }
}
