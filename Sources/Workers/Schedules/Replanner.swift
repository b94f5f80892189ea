import Domain
import Storage
import Wire

/// Replans schedules in small steps after a change of a zone's rules, of a place, or of the machine's clock.
struct Replanner {
    private let environment: Environment
    /// The time of the next check of zones and clock.
    private(set) var checkAt: Instant? = Instant(milliseconds: 0)

    private static let checkSeconds: Int64 = 60
    /// The smallest step back that counts; smaller ones are corrections of the clock.
    private static let backSeconds: Int64 = 60
    private static let clockFact = "schedule.clock"

    init(_ environment: Environment) { self.environment = environment }

    mutating func step(_ catalog: Catalog, in tx: Transaction, effects: inout Effects) throws {
        if checkAt.map({ $0 <= tx.now || $0 > tx.now.adding(seconds: Self.checkSeconds) }) ?? true {
            try check(in: tx)
            checkAt = tx.now.adding(seconds: Self.checkSeconds)
        }
        let taken = try tx.replans.takeSchedules(limit: environment.limits.sweepStep)
        guard !taken.isEmpty else { return }
        var calendar = ScheduleCalendar(tx, isWriting: false)
        let moved = try taken.compactMap { try replanned($0, &calendar, at: tx.now) }
        try tx.schedules.plan(moved)
        for did in Set(moved.map(\.did)).sorted() {
            try ScheduleNotifications.push(
                did,
                catalog,
                environment.topics,
                in: tx,
                effects: &effects
            )
        }
        effects.wake(.scheduler)
    }

    // MARK: Looking

    private func check(in tx: Transaction) throws {
        let zones = try tx.replans.zones()
        for (name, rules) in zones {
            // A zone that the system no longer has keeps its rules.
            guard let data = ZoneFiles.data(of: name), data != rules else { continue }
            try tx.replans.setZone(name, data)
            try tx.replans.add(.zone(name))
        }
        let before = try tx.meta.value(Self.clockFact).flatMap { Int64($0) } ?? 0
        if tx.now.adding(seconds: Self.backSeconds).milliseconds < before {
            // Occurrences that a fast clock skipped are still to come.
            for (name, _) in zones { try tx.replans.add(.zone(name)) }
        }
        try tx.meta.set(Self.clockFact, to: "\(tx.now.milliseconds)")
    }

    // MARK: Planning

    /// Returns a schedule with its new next occurrence; nil if that is unchanged.
    private func replanned(
        _ schedule: Schedule,
        _ calendar: inout ScheduleCalendar,
        at now: Instant
    ) throws -> Schedule? {
        // A due occurrence waits for its trigger.
        guard schedule.isEnabled, schedule.nextAt.map({ $0 > now }) ?? true else { return nil }
        var schedule = schedule
        var start = max(now, schedule.activeSince)
        // A one-time occurrence is not lost if its time is now in the past.
        if case .once = schedule.timing.days { start = schedule.activeSince }
        let next = try calendar.next(schedule, after: start)
        guard next != schedule.nextAt else { return nil }
        schedule.nextAt = next
        return schedule
    }
}
