import Domain
import JSON
import Load
import Storage

/// A benchmark's schedules, written directly into the store.
struct BenchScheduleSeed {
    private var ids = IDSource()
    private static let chunk = 2000
    private static let everyDay = Timing.Days.weekly([1, 2, 3, 4, 5, 6, 7])

    /// Adds a number of schedules, all due at a moment, spread over bound devices.
    mutating func add(_ count: Int, of dids: [DeviceID], dueAt: Instant, to store: Store) throws {
        let now = Instant(milliseconds: LoadClock.milliseconds)
        let owners = try store.read { tx in
            try dids.compactMap { did in try tx.bindings.all(of: did).first }
        }
        guard !owners.isEmpty else { throw LoadError.failed("no device is bound") }
        for start in stride(from: 0, to: count, by: Self.chunk) {
            try store.batch(at: now) { tx in
                try tx.lockAll()
                for number in start..<min(start + Self.chunk, count) {
                    try add(owners[number % owners.count], dueAt, tx: tx)
                }
            }
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

    /// Fills a separate store with schedules over the coming hours, and some that are due.
    mutating func fill(_ store: Store, schedules: Int, due: Int) throws {
        let now = Instant(milliseconds: LoadClock.milliseconds)
        let dids = try devices(max(1, schedules / Schedule.perDeviceMax), in: store, at: now)
        try add(due, of: dids, dueAt: now.adding(seconds: -10), to: store)
        let slots = 1000
        for slot in 0..<slots {
            let dueAt = now.adding(seconds: 3600 + Int64(slot) * 60)
            try add((schedules - due) / slots, of: dids, dueAt: dueAt, to: store)
        }
    }

    /// Creates a number of devices of one product, each with an owner.
    mutating func devices(
        _ count: Int,
        in store: Store,
        at now: Instant
    ) throws -> [DeviceID] {
        let key = ProductKey(trusted: String(repeating: "be", count: 16))
        try store.batch(at: now) { tx in
            try tx.products.save(Product(key: key, name: "Bench"), secret: "bench")
        }
        var dids: [DeviceID] = []
        while dids.count < count {
            try store.batch(at: now) { tx in
                try tx.lockAll()
                for _ in 0..<min(Self.chunk, count - dids.count) {
                    let did = DeviceID(trusted: ids.make("d", at: now))
                    let digits = String(dids.count)
                    let mac = String(repeating: "0", count: 12 - digits.count) + digits
                    try tx.devices.create(did, product: key, mac: MAC(trusted: mac))
                    try tx.bindings.insert(
                        Binding(
                            did: did,
                            uid: UserID(trusted: "u-bench"),
                            app: AppID(trusted: "bench"),
                            role: .special,
                            boundAt: now
                        )
                    )
                    dids.append(did)
                }
            }
        }
        return dids
    }
}
