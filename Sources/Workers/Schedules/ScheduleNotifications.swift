import Domain
import JSON
import Storage
import Wire

/// Tells the users of a device of its schedules and their runs.
enum ScheduleNotifications {
    /// Returns the rows of a device's schedules, cut before they would exceed a payload.
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

    /// Returns the product of a device; nil for a removed device.
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

    /// Pushes a device's schedules to all its users.
    static func push(
        _ did: DeviceID,
        _ catalog: Catalog?,
        _ topics: Topics,
        in tx: Transaction,
        effects: inout Effects
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
            effects.publish(OutboundMessage(topics.user(binding.uid, "schedule"), payload))
        }
    }

    /// Returns the cursor of the next page of a cut list.
    static func cursor(_ schedules: [Schedule], shown: Int) -> JSONValue? {
        guard shown < schedules.count, shown > 0 else { return nil }
        let last = schedules[shown - 1]
        return .string("\(last.did.text).\(last.id.text)")
    }

    // MARK: Runs

    /// Returns the event of a finished run.
    static func event(of run: ScheduleRun, at now: Instant) -> Event {
        Event(
            // The same id for each message about one run's end.
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

    /// Tells the outcomes of runs, and stores them among the devices' events.
    static func publish(
        _ runs: [(did: DeviceID, run: ScheduleRun)],
        _ topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        guard !runs.isEmpty else { return }
        let events = runs.map { event(of: $0.run, at: tx.now) }
        try tx.events.append(
            zip(runs, events).map { ($0.did, $1, actor: EventCodec.stored($1.actor)) }
        )
        try tx.bindings.subscribers(of: runs.map(\.did)) { place, uid, _ in
            effects.publish(
                OutboundMessage(
                    topics.user(uid, device: runs[place].did, "event"),
                    EventCodec.encode(events[place], for: uid)
                )
            )
        }
    }

    /// Stores the outcome of a schedule's command in its run, and tells it.
    static func finish(
        _ command: Command,
        _ topics: Topics,
        in tx: Transaction,
        effects: inout Effects
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
        try publish([(command.did, run)], topics, in: tx, effects: &effects)
    }
}
