import Domain
import Storage

/// A job that sums up past days (`HistoryDayTable`) for charts of months.
///
/// In a store without summaries, the job begins with the oldest day of which the store may still contain records. A run
/// can stop after any device.
struct HistoryDays: MaintenanceJob {
    private let environment: Environment
    /// The day that is being summed up, and the last device that was checked for this day.
    ///
    /// The value is nil while no day is being summed up.
    private var pass: (day: Int64, place: String)?
    /// The devices and days to sum up, in reverse order.
    private var waiting: [(did: DeviceID, day: Int64)] = []
    private static let page = 500
    /// The milliseconds to wait after the end of a day before the day is summed up.
    ///
    /// Until then, the day's last records may still be in the buffer, which isn't summed up.
    private static let lag: Int64 = 900_000

    let name = "historyDays"
    let interval: Duration = .seconds(300)
    let pause: Duration = .milliseconds(5)

    init(_ environment: Environment) { self.environment = environment }

    mutating func step() throws -> Bool {
        if let next = waiting.popLast() {
            try sumUp(next.did, next.day)
            return true
        }
        if let pass { return try look(pass) }
        let now = environment.clock.now
        let last = HistoryDay.number(of: now.milliseconds - Self.lag) - 1
        if let day = try nextDay(last) {
            try environment.store.batch(at: now) { try $0.history.days.begin(day) }
            pass = (day, "")
            return true
        }
        waiting = try environment.store.read { try $0.history.days.stale(limit: Self.page) }
        return !waiting.isEmpty
    }

    func backlog(limit: Int) -> Int64? { Int64(min(waiting.count, limit)) }

    /// Returns the next day to sum up, or nil if all days up to `last` are summed up.
    private func nextDay(_ last: Int64) throws -> Int64? {
        let (done, days) = try environment.store.read { tx in
            (try tx.history.days.done(), try tx.products.all().compactMap(\.historyDays).max())
        }
        let kept = Int64(max(days ?? 0, environment.limits.historyDays))
        let next = max(done.map { $0 + 1 } ?? 0, last - kept)
        return next <= last ? next : nil
    }

    /// Checks a page of devices, and collects the devices for which the day must still be summed up.
    ///
    /// If no devices are left to check, the day is finished.
    private mutating func look(_ pass: (day: Int64, place: String)) throws -> Bool {
        let (devices, missing) = try environment.store.read { tx in
            let devices = try tx.devices.page(after: pass.place, limit: Self.page).map(\.did)
            return (devices, try tx.history.days.missing(devices, day: pass.day))
        }
        waiting = missing.reversed().map { ($0, pass.day) }
        self.pass = devices.last.map { (pass.day, $0.text) }
        if devices.isEmpty {
            try environment.store.batch(at: environment.clock.now) { try $0.history.days.finish(pass.day) }
        }
        return true
    }

    /// Sums up one day of a device; if the day's records change meanwhile, the sums aren't saved.
    private func sumUp(_ did: DeviceID, _ day: Int64) throws {
        let draft = try environment.store.read { try $0.history.days.sumUp(did, day: day) }
        _ = try environment.store.batch(at: environment.clock.now) { tx in
            try tx.lock(devices: [did])
            return try tx.history.days.save(draft)
        }
    }
}
