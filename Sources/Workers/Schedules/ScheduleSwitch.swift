package import Domain
import Storage

/// Lets a schedule act, or not, on an operator's request.
package enum ScheduleSwitch {
    /// Changes whether a schedule acts, plans its next occurrence, and tells its device's users; the device is locked.
    ///
    /// - Returns: The schedule as it is then.
    /// - Throws: `Rejection` where it has no occurrence any more.
    package static func set(
        _ schedule: Schedule,
        to isEnabled: Bool,
        in work: inout UnitOfWork
    ) throws -> Schedule {
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
