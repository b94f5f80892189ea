import Domain
import JSON
import Storage
import Wire

/// Tells those who are bound to a device of its schedules and of their runs (PROTOCOL 3.5).
enum ScheduleNews {
    /// A device's schedules as they are shown, cut before they would pass a payload.
    static func rows(
        _ schedules: some Sequence<Schedule>,
        product: Product?,
        bytes: inout Int,
        in tx: Transaction
    ) throws -> [JSONValue] {
        var calendar = ScheduleCalendar(tx, isWriting: false)
        return try AnswerRows.fitting(schedules, bytes: &bytes) { schedule in
            .object(
                ScheduleCodec.encode(
                    schedule,
                    attrs: ProductRules.masked(schedule.attrs, product: product),
                    polar: schedule.isEnabled ? try calendar.polar(schedule, at: tx.now) : nil
                )
            )
        }
    }

    /// The product of a device; nil for one that is gone.
    ///
    /// Without a catalog the store is asked.
    static func product(
        of did: DeviceID,
        _ catalog: Catalog?,
        in tx: Transaction
    ) throws -> Product? {
        guard let key = try tx.statuses.find(did)?.productKey else { return nil }
        guard let catalog else { return try tx.products.find(key) }
        return catalog.product(key)
    }

    /// Pushes a device's schedules to everyone bound to it.
    static func push(
        _ did: DeviceID,
        _ catalog: Catalog?,
        _ topics: Topics,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        let schedules = try tx.schedules.all(of: did)
        var bytes = 128
        let product = try product(of: did, catalog, in: tx)
        let rows = try rows(schedules, product: product, bytes: &bytes, in: tx)
        let payload = JSONObject([
            ("did", .string(did.text)), ("schedules", .array(rows)),
            ("cursor", cursor(schedules, shown: rows.count)),
        ]).encoded()
        for binding in try tx.bindings.all(of: did) {
            owed.publish(OutboundMessage(topics.user(binding.uid, "schedule"), payload))
        }
    }

    /// Where a list goes on that was cut.
    static func cursor(_ schedules: [Schedule], shown: Int) -> JSONValue? {
        guard shown < schedules.count, shown > 0 else { return nil }
        let last = schedules[shown - 1]
        return .string("\(last.did.text).\(last.id.text)")
    }

    // MARK: Runs

    /// The event of a run whose end is known.
    static func event(of run: ScheduleRun, at now: Instant) -> Event {
        Event(
            // The same however often the end of one run is told.
            id: "\(run.schedule.text)-\(run.dueAt.milliseconds)",
            type: "scheduleRun",
            name: run.schedule.text,
            value: .object([
                "state": .string(run.state.rawValue), "dueAt": .integer(run.dueAt.milliseconds),
                "cid": run.cid.map { .integer($0) },
            ]),
            reason: run.error?.rawValue,
            ts: now,
            actor: Actor(.schedule, run.schedule.text)
        )
    }

    /// Tells how runs of devices ended, and keeps it among the devices' events.
    static func tell(
        _ runs: [(did: DeviceID, run: ScheduleRun)],
        _ topics: Topics,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        guard !runs.isEmpty else { return }
        let events = runs.map { event(of: $0.run, at: tx.now) }
        try tx.events.append(
            zip(runs, events).map { ($0.did, $1, actor: EventCodec.stored($1.actor)) }
        )
        try tx.bindings.subscribers(of: runs.map(\.did)) { place, uid, _ in
            owed.publish(
                OutboundMessage(
                    topics.user(uid, device: runs[place].did, "event"),
                    EventCodec.encode(events[place], for: uid)
                )
            )
        }
    }

    /// Notes on its run how a schedule's command ended, and tells it.
    static func finish(
        _ command: Command,
        _ topics: Topics,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        guard let state = ScheduleRun.State(command.state) else { return }
        let run = try tx.runs.finish(
            ScheduleID(trusted: command.actor.id),
            cid: command.cid,
            state,
            error: state == .failed && command.code == nil ? .notBound : nil,
            code: state == .failed ? command.code : nil
        )
        guard let run else { return }
        ScheduleMetrics.shared.ran(state)
        try tell([(command.did, run)], topics, in: tx, owed: &owed)
    }
}
