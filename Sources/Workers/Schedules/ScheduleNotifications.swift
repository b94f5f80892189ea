import Domain
import Storage
import Wire

/// The messages to a device's users about the device's schedules.
enum ScheduleNotifications {
    /// Publishes a device's schedules to all users of the device except expired guests.
    static func push(_ did: DeviceID, in work: inout UnitOfWork) throws {
        let schedules = try work.tx.schedules.all(ofDevice: did)
        var bytes = 128
        let product = try work.product(of: did)
        let rows = try ScheduleLists.rows(schedules, product: product, bytes: &bytes, in: work.tx)
        let payload = ScheduleCodec.push(did, rows, next: ScheduleLists.next(schedules, shown: rows.count))
        for binding in try work.tx.bindings.all(of: did) where !binding.isOver(at: work.now) {
            let topic = work.topics.user(binding.uid, "schedule")
            work.effects.publish(OutboundMessage(topic, payload))
        }
    }
}
