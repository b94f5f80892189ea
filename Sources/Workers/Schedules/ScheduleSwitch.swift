package import Domain
import Storage

/// The switch by which a user or an operator enables or disables a schedule.
package enum ScheduleSwitch {
    /// Enables or disables a schedule, and notifies the users of the schedule's device.
    ///
    /// The caller must first lock the device.
    ///
    /// - Throws: `Rejection` if the schedule has no further occurrence.
    package static func set(_ schedule: Schedule, to isEnabled: Bool, in work: inout UnitOfWork) throws -> Schedule {
        guard schedule.isEnabled != isEnabled else { return schedule }
        var schedule = schedule
        schedule.isEnabled = isEnabled
        schedule.nextAt = nil
        schedule.updatedAt = work.now
        if isEnabled {
            var calendar = ScheduleCalendar(work.tx, keepsNewZones: true)
            try ScheduleTimes.plan(&schedule, hasDate: true, by: &calendar, at: work.now)
        }
        let product = try work.product(of: schedule.did)
        let masked = ProductRules.masked(schedule.attrs, product: product)
        try work.tx.schedules.save(schedule, masked: masked)
        try ScheduleNotifications.push(schedule.did, in: &work)
        work.effects.wake(.scheduler)
        return schedule
    }
}
