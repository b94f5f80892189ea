import Domain
import Storage
import Wire

/// Plans schedules anew when what they were planned with has changed: a zone's rules, a place, or the
/// machine's clock, in small steps.
struct Replanner {
    private let environment: Environment
    /// When zones and clock are looked at again.
    private(set) var checkAt: Instant? = Instant(milliseconds: 0)

    private static let checkSeconds: Int64 = 60
    /// Going back by less than this is what a clock that is being set right does.
    private static let backSeconds: Int64 = 60
    private static let clockFact = "schedule.clock"

    init(_ environment: Environment) { self.environment = environment }

    mutating func step(_ catalog: Catalog, in tx: Transaction, owed: inout Owed) throws {
        if checkAt.map({ $0 <= tx.now || $0 > tx.now.adding(seconds: Self.checkSeconds) }) ?? true {
            try check(in: tx)
            checkAt = tx.now.adding(seconds: Self.checkSeconds)
        }
        let taken = try tx.replans.take(limit: environment.limits.sweepStep)
        guard !taken.isEmpty else { return }
        var calendar = ScheduleCalendar(tx, isWriting: false)
        let moved = try taken.compactMap { try replanned($0, &calendar, at: tx.now) }
        try tx.schedules.plan(moved)
        for did in Set(moved.map(\.did)).sorted() {
            try ScheduleNews.push(did, catalog, environment.topics, in: tx, owed: &owed)
        }
        owed.wake(.scheduler)
    }

    // MARK: Looking

    private func check(in tx: Transaction) throws {
        let zones = try tx.replans.zones()
        for (name, rules) in zones {
            // A zone that the system has no more goes on as it was.
            guard let data = ZoneFiles.data(of: name), data != rules else { continue }
            try tx.replans.setZone(name, data)
            try tx.replans.add(.zone(name))
        }
        let before = try tx.meta.value(Self.clockFact).flatMap { Int64($0) } ?? 0
        if tx.now.adding(seconds: Self.backSeconds).milliseconds < before {
            // What a clock that was ahead has passed over is still to come.
            for (name, _) in zones { try tx.replans.add(.zone(name)) }
        }
        try tx.meta.set(Self.clockFact, to: "\(tx.now.milliseconds)")
    }

    // MARK: Planning

    /// A schedule with its new next occurrence; nil where it stays.
    private func replanned(
        _ schedule: Schedule,
        _ calendar: inout ScheduleCalendar,
        at now: Instant
    ) throws -> Schedule? {
        // What is due already waits for its trigger.
        guard schedule.isEnabled, schedule.nextAt.map({ $0 > now }) ?? true else { return nil }
        var schedule = schedule
        var start = max(now, schedule.activeSince)
        // A day that comes once is not lost when its time now lies in the past.
        if case .once = schedule.timing.days { start = schedule.activeSince }
        let next = try calendar.next(schedule, after: start)
        guard next != schedule.nextAt else { return nil }
        schedule.nextAt = next
        return schedule
    }
}
