import Domain
import JSON
import Storage
import Wire

/// The working set of one batch of triggers: their schedules and devices, and the effects.
///
/// Decode, load, decide in memory trigger after trigger, save: a constant number of statements for any number of
/// triggers. Each (schedule, dueAt) runs once, with the first trigger.
struct TriggerBatch {
    private let environment: Environment
    private let catalog: Catalog
    private var calendar: ScheduleCalendar
    var effects = Effects()

    private var triggers: [(trigger: Trigger, source: Inbound)] = []
    private var schedules: [ScheduleID: Schedule] = [:]
    private var taken: Set<Trigger> = []

    // The rows to be written.
    private var runs: [ScheduleRun] = []
    private var commands: [Command] = []
    private var changed: Set<ScheduleID> = []
    /// Devices with a schedule that has disabled itself.
    private var refreshed: Set<DeviceID> = []

    init(_ environment: Environment, _ catalog: Catalog, _ tx: Transaction) {
        self.environment = environment
        self.catalog = catalog
        calendar = ScheduleCalendar(tx, isWriting: true)
    }

    private var topics: Topics { environment.topics }

    // MARK: Decode and load

    mutating func decode(_ message: Inbound) {
        guard case .trigger(let text) = topics.parse(message.topic), let id = ScheduleID(text)
        else {
            return deadLetter(message, .topic, "the topic has no valid scheduleId")
        }
        do {
            let trigger = try ScheduleCodec.decode(trigger: message.payload, of: id)
            triggers.append((trigger, message))
        } catch {
            deadLetter(message, .malformed, error.reason)
            effects.count(error.rejection)
        }
    }

    mutating func load(in tx: Transaction) throws {
        let ids = Set(triggers.map(\.trigger.schedule)).sorted()
        try tx.schedules.load(ids) { schedules[$1.id] = $1 }
        let wanted = triggers.map(\.trigger)
        try tx.runs.find(wanted) { taken.insert(wanted[$0]) }
    }

    // MARK: Decide

    mutating func decide(in tx: Transaction) throws {
        var due: [Due] = []
        for (trigger, source) in triggers {
            guard let schedule = schedules[trigger.schedule] else {
                deadLetter(source, .refused, "the schedule does not exist")
                continue
            }
            guard !taken.contains(trigger) else {
                try pass(trigger, schedule, at: tx.now)
                continue
            }
            switch try outcome(of: trigger, schedule, at: tx.now) {
            case .failure(let refusal): deadLetter(source, .refused, refusal.reason)
            case .success(let outcome):
                if let occurrence = try take(outcome, of: schedule, in: tx) {
                    due.append(occurrence)
                }
            }
        }
        try run(due, in: tx)
    }

    private mutating func outcome(
        of trigger: Trigger,
        _ schedule: Schedule,
        at now: Instant
    ) throws -> Result<TriggerRules.Outcome, TriggerRules.Refusal> {
        let (zone, place) = try calendar.frame(of: schedule)
        return TriggerRules.decide(
            trigger.dueAt,
            of: schedule,
            at: now,
            TriggerRules.Lateness(
                lateSeconds: environment.limits.triggerLateSeconds,
                rememberedSeconds: environment.limits.scheduleRunSeconds
            )
        ) { ScheduleRules.next(of: schedule.timing, after: $0, zone: zone, place: place) }
    }

    /// Continues behind an occurrence that ran before.
    private mutating func pass(
        _ trigger: Trigger,
        _ schedule: Schedule,
        at now: Instant
    ) throws {
        guard trigger.dueAt == schedule.nextAt else { return }
        let next = try calendar.next(schedule, after: trigger.dueAt)
        move(schedule, to: next)
        endIfOnce(schedule, at: now)
    }

    /// Disables a one-time schedule after its time.
    private mutating func endIfOnce(_ schedule: Schedule, at now: Instant) {
        guard case .once = schedule.timing.days else { return }
        schedules[schedule.id]?.isEnabled = false
        schedules[schedule.id]?.updatedAt = now
        move(schedule, to: nil)
        refreshed.insert(schedule.did)
    }

    private mutating func move(_ schedule: Schedule, to next: Instant?) {
        schedules[schedule.id]?.nextAt = next
        changed.insert(schedule.id)
    }

    /// An occurrence that runs now.
    private struct Due {
        var schedule: Schedule
        var dueAt: Instant
    }

    /// Notes an outcome; returns the occurrence that runs, unless it has run before.
    private mutating func take(
        _ outcome: TriggerRules.Outcome,
        of schedule: Schedule,
        in tx: Transaction
    ) throws -> Due? {
        for dueAt in outcome.missed where taken.insert(Trigger(schedule.id, dueAt: dueAt)).inserted
        {
            runs.append(
                ScheduleRun(schedule.id, dueAt: dueAt, firedAt: tx.now, state: .missed)
            )
        }
        if outcome.nextAt != schedule.nextAt { move(schedule, to: outcome.nextAt) }
        endIfOnce(schedule, at: tx.now)
        guard let dueAt = outcome.run else { return nil }
        let trigger = Trigger(schedule.id, dueAt: dueAt)
        // It may differ from the trigger's own, whose run was loaded already.
        try tx.runs.find([trigger]) { _ in taken.insert(trigger) }
        return taken.insert(trigger).inserted ? Due(schedule: schedule, dueAt: dueAt) : nil
    }

    // MARK: Run

    /// Orders the commands of due occurrences, with the present rights of their creators.
    private mutating func run(_ due: [Due], in tx: Transaction) throws {
        var bindings: [Int: Binding] = [:]
        try tx.bindings.load(due.map { ($0.schedule.did, $0.schedule.creator) }) {
            bindings[$0] = $1
        }
        var records: [Int: StatusRecord] = [:]
        try tx.statuses.load(due.map(\.schedule.did)) { records[$0] = $1 }
        var allowed: [(due: Due, product: Product)] = []
        for (place, occurrence) in due.enumerated() {
            switch permit(occurrence.schedule, bindings[place], records[place], at: tx.now) {
            case .success(let product): allowed.append((occurrence, product))
            case .failure(let rejection):
                runs.append(
                    ScheduleRun(
                        occurrence.schedule.id,
                        dueAt: occurrence.dueAt,
                        firedAt: tx.now,
                        state: .failed,
                        error: rejection.code
                    )
                )
            }
        }
        let cids = try tx.devices.nextCommandIDs(allowed.map(\.due.schedule.did))
        for (place, (occurrence, product)) in allowed.enumerated() {
            command(occurrence, product, cid: cids[place] ?? 0, at: tx.now)
        }
    }

    private func permit(
        _ schedule: Schedule,
        _ binding: Binding?,
        _ record: StatusRecord?,
        at now: Instant
    ) -> Result<Product, Rejection> {
        guard let binding, let record, let product = catalog.product(record.productKey) else {
            return .failure(Rejection(.notBound, "The creator is not bound any more."))
        }
        if let code = binding.refusal(of: .write, at: now) {
            return .failure(Rejection(code, "The creator may not control the device."))
        }
        if let rejection = ProductRules.check(written: schedule.attrs, product: product) {
            return .failure(rejection)
        }
        guard record.status.presence.isOnline else {
            return .failure(Rejection(.deviceOffline, "The device is not connected."))
        }
        return .success(product)
    }

    private mutating func command(
        _ due: Due,
        _ product: Product,
        cid: Int64,
        at now: Instant
    ) {
        let schedule = due.schedule
        let request = CommandRequest(
            did: schedule.did,
            data: schedule.attrs,
            actor: Actor(.schedule, schedule.id.text)
        )
        commands.append(request.command(cid: cid, product: product, at: now))
        runs.append(
            ScheduleRun(schedule.id, dueAt: due.dueAt, firedAt: now, state: .sent, cid: cid)
        )
    }

    // MARK: Save

    mutating func save(in tx: Transaction) throws {
        try tx.runs.add(runs)
        try tx.commands.save(commands)
        // The control worker sends them, in turn with others for the same devices.
        try tx.commands.requestDispatches(
            Set(commands.map(\.did)).sorted().map { DispatchRequest(did: $0, at: tx.now) }
        )
        try tx.schedules.plan(changed.sorted().compactMap { schedules[$0] })
        let ended = runs.filter { $0.state != .sent }
        for run in ended { ScheduleMetrics.shared.ran(run.state) }
        try ScheduleNotifications.publish(
            ended.compactMap { run in schedules[run.schedule].map { ($0.did, run) } },
            topics,
            in: tx,
            effects: &effects
        )
        for did in refreshed.sorted() {
            try ScheduleNotifications.push(did, catalog, topics, in: tx, effects: &effects)
        }
        if !commands.isEmpty { effects.wake(.control) }
    }

    private mutating func deadLetter(
        _ message: Inbound,
        _ kind: DeadLetter.Draft.Kind,
        _ reason: String
    ) {
        effects.deadLetter(
            kind,
            reason,
            topic: message.topicText,
            payload: Array(message.payload.prefix(Payload.bytesMax))
        )
    }
}
