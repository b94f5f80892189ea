import Domain
import Storage

/// The replanning of schedules after changes of time zone rules, locations or the clock.
struct Replanner {
    /// The time at which the time zones and the clock are checked next.
    private(set) var checkAt: Instant? = Instant(milliseconds: 0)

    private static let checkSeconds: Int64 = 60
    /// The largest backward step of the clock, in seconds, that counts as an ordinary correction.
    private static let backSeconds: Int64 = 60
    private static let clockFact = "schedule.clock"

    /// Checks time zones and the clock if a check is due, and replans some schedules if any are waiting.
    mutating func step(in work: inout UnitOfWork) throws {
        let next = work.now.adding(seconds: Self.checkSeconds)
        if checkAt.map({ $0 <= work.now || $0 > next }) ?? true {
            try check(in: work.tx)
            checkAt = next
        }
        let limit = work.limits.sweepStep
        let page = try work.tx.lock {
            try work.tx.replans.next(limit: limit)
        } naming: {
            (users: $0?.users ?? [], devices: Set($0?.schedules.map(\.did) ?? []).sorted())
        }
        guard let page else { return }
        try work.tx.replans.finish(page)
        let taken = page.schedules
        guard !taken.isEmpty else { return }
        var calendar = ScheduleCalendar(work.tx, keepsNewZones: false)
        let moved = try taken.compactMap { try replanned($0, by: &calendar, at: work.now) }
        try work.tx.schedules.plan(moved)
        for did in Set(moved.map(\.did)).sorted() {
            try ScheduleNotifications.push(did, in: &work)
        }
        work.effects.wake(.scheduler)
    }

    // MARK: Looking

    private func check(in tx: Transaction) throws {
        let zones = try tx.replans.zones()
        for (name, rules) in zones {
            // A time zone that the system no longer knows keeps its rules.
            guard let data = ZoneFiles.data(of: name), data != rules else { continue }
            try tx.replans.setZone(name, data)
            try tx.replans.add(.zone(name))
        }
        let before = try tx.meta.value(Self.clockFact).flatMap { Int64($0) } ?? 0
        if tx.now.adding(seconds: Self.backSeconds).milliseconds < before {
            // Occurrences were skipped while the clock was ahead. Their times are in the future again.
            for (name, _) in zones { try tx.replans.add(.zone(name)) }
        }
        try tx.meta.set(Self.clockFact, to: "\(tx.now.milliseconds)")
    }

    // MARK: Planning

    /// Returns a schedule with a new next occurrence, or nil if the next occurrence doesn't change.
    private func replanned(
        _ schedule: Schedule,
        by calendar: inout ScheduleCalendar,
        at now: Instant
    ) throws -> Schedule? {
        // An occurrence that is due waits for its trigger, so it is not replanned.
        guard schedule.isEnabled, schedule.nextAt.map({ $0 > now }) ?? true else { return nil }
        var schedule = schedule
        var start = max(now, schedule.activeSince)
        // If replanning moves a one-time schedule's occurrence into the past, the occurrence is still planned.
        if case .once = schedule.timing.days { start = schedule.activeSince }
        let next = try calendar.next(schedule, after: start)
        guard next != schedule.nextAt else { return nil }
        schedule.nextAt = next
        return schedule
    }
}
