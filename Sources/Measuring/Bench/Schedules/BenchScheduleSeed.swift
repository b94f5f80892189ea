import Domain
import JSON
import Load
import Storage
import Workers

/// A writer that puts a benchmark's schedules directly into the store.
struct BenchScheduleSeed {
    private var ids = IDSource()
    private static let everyDay = Timing.Days.weekly([1, 2, 3, 4, 5, 6, 7])

    /// Adds schedules, spread evenly over bound devices, all due at the same time.
    mutating func add(_ count: Int, of dids: [DeviceID], dueAt: Instant, to store: Store) throws {
        let owners = try store.read { tx in try dids.compactMap { did in try tx.bindings.all(of: did).first } }
        guard !owners.isEmpty else { throw LoadError.failed("no device is bound") }
        try store.fill(count, at: SystemClock().now) { tx, number in
            try add(owners[number % owners.count], dueAt, tx: tx)
        }
    }

    private mutating func add(_ owner: Binding, _ dueAt: Instant, tx: Transaction) throws {
        let minute = (dueAt.milliseconds / 60_000) % 1440
        let attrs: JSONObject = ["switchedOn": true]
        try tx.schedules.save(
            Schedule(
                id: ScheduleID(trusted: ids.make("s", at: tx.now)),
                did: owner.did,
                creator: owner.uid,
                app: owner.app,
                timing: Timing(days: Self.everyDay, time: .clock(minute), zone: "UTC"),
                attrs: attrs,
                remark: "",
                isEnabled: true,
                misfire: .skip,
                createdAt: tx.now,
                nextAt: dueAt
            ),
            masked: attrs
        )
    }

    /// Fills a separate store with schedules, some of which are already due.
    mutating func fill(_ store: Store, schedules: Int, due: Int) throws {
        let now = SystemClock().now
        let dids = try store.fillDevices(
            max(1, schedules / Schedule.perDeviceMax),
            of: Product(key: ProductKey(bench: "be"), name: "Bench"),
            owner: "u-bench",
            at: now
        )
        try add(due, of: dids, dueAt: now.adding(seconds: -10), to: store)
        let slots = 1000
        for slot in 0..<slots {
            let dueAt = now.adding(seconds: 3600 + Int64(slot) * 60)
            try add((schedules - due) / slots, of: dids, dueAt: dueAt, to: store)
        }
    }
}
