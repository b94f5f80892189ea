import Domain
import Storage
import Wire

/// The data of one batch of triggers: the triggers, their schedules, and the rows to write.
///
/// A batch is decoded, loaded, processed in memory and saved. The number of SQL statements doesn't depend on the number
/// of triggers. Each occurrence (schedule, dueAt) runs only once, with its first trigger.
struct TriggerBatch {
    private var calendar: ScheduleCalendar

    private var triggers: [(trigger: Trigger, source: Inbound)] = []
    private var schedules: [ScheduleID: Schedule] = [:]
    /// The occurrences that have already run or were missed.
    private var taken: Set<Trigger> = []

    // The rows that `save` writes.
    private var runs: [ScheduleRun] = []
    private var commands: [Command] = []
    private var changed: Set<ScheduleID> = []
    /// The devices of one-time schedules that were disabled after their occurrence.
    private var devicesToPush: Set<DeviceID> = []

    private init(in tx: Transaction) { calendar = ScheduleCalendar(tx, keepsNewZones: true) }

    /// Processes a batch of triggers.
    static func carryOut(
        _ messages: some Sequence<Inbound>,
        in work: inout UnitOfWork
    ) throws {
        var batch = TriggerBatch(in: work.tx)
        for message in messages { batch.decode(message, in: &work) }
        try batch.load(in: work.tx)
        try batch.decide(in: &work)
        try batch.save(in: &work)
    }

    // MARK: Decode and load

    private mutating func decode(_ message: Inbound, in work: inout UnitOfWork) {
        guard case .trigger(let text) = work.topics.parse(message.topic),
            let id = ScheduleID(text)
        else {
            let reason = "the topic has no valid scheduleId"
            return work.effects.deadLetter(message, .topic, because: reason)
        }
        do {
            let trigger = try ScheduleCodec.decode(trigger: message.payload, of: id)
            triggers.append((trigger, message))
        } catch {
            work.effects.deadLetter(message, .malformed, because: error.reason)
            work.effects.count(error.rejection)
        }
    }

    private mutating func load(in tx: Transaction) throws {
        let ids = Set(triggers.map(\.trigger.schedule)).sorted()
        schedules = try tx.lock {
            var schedules: [ScheduleID: Schedule] = [:]
            try tx.schedules.load(ids) { schedules[$1.id] = $1 }
            return schedules
        } naming: {
            (users: [], devices: Set($0.values.map(\.did)).sorted())
        }
        let wanted = triggers.map(\.trigger)
        try tx.runs.find(wanted) { taken.insert(wanted[$0]) }
    }

    // MARK: Decide

    private mutating func decide(in work: inout UnitOfWork) throws {
        var dueRuns: [DueRun] = []
        for (trigger, source) in triggers {
            guard let schedule = schedules[trigger.schedule] else {
                let reason = "the schedule does not exist"
                work.effects.deadLetter(source, .refused, because: reason)
                continue
            }
            guard !taken.contains(trigger) else {
                try skipTaken(trigger, of: schedule, at: work.now)
                continue
            }
            switch try outcome(of: trigger, on: schedule, in: work) {
            case .failure(let refusal): work.effects.deadLetter(source, .refused, because: refusal.reason)
            case .success(let outcome):
                if let run = try note(outcome, of: schedule, in: work.tx) {
                    dueRuns.append(run)
                }
            }
        }
        try makeCommands(for: dueRuns, in: &work)
    }

    private mutating func outcome(
        of trigger: Trigger,
        on schedule: Schedule,
        in work: UnitOfWork
    ) throws -> Result<TriggerRules.Outcome, TriggerRules.Refusal> {
        let (zone, place) = try calendar.frame(of: schedule)
        return TriggerRules.decide(
            trigger.dueAt,
            of: schedule,
            at: work.now,
            (lateSeconds: work.limits.triggerLateSeconds, rememberedSeconds: work.limits.scheduleRunSeconds)
        ) { ScheduleRules.next(of: schedule.timing, after: $0, zone: zone, place: place) }
    }

    /// Plans a schedule's next occurrence if the planned occurrence has already run.
    private mutating func skipTaken(_ trigger: Trigger, of schedule: Schedule, at now: Instant) throws {
        guard trigger.dueAt == schedule.nextAt else { return }
        let next = try calendar.next(schedule, after: trigger.dueAt)
        move(schedule, to: next)
        endIfOnce(schedule, at: now)
    }

    /// Disables a schedule after its occurrence, if it is a one-time schedule.
    private mutating func endIfOnce(_ schedule: Schedule, at now: Instant) {
        guard case .once = schedule.timing.days else { return }
        schedules[schedule.id]?.isEnabled = false
        schedules[schedule.id]?.updatedAt = now
        move(schedule, to: nil)
        devicesToPush.insert(schedule.did)
    }

    private mutating func move(_ schedule: Schedule, to next: Instant?) {
        schedules[schedule.id]?.nextAt = next
        changed.insert(schedule.id)
    }

    /// A schedule's occurrence that must run now.
    private struct DueRun {
        var schedule: Schedule
        var dueAt: Instant
    }

    /// Records a trigger's outcome, and returns the occurrence to run now, if any.
    private mutating func note(
        _ outcome: TriggerRules.Outcome,
        of schedule: Schedule,
        in tx: Transaction
    ) throws -> DueRun? {
        for dueAt in outcome.missed where taken.insert(Trigger(schedule.id, dueAt: dueAt)).inserted {
            runs.append(
                ScheduleRun(schedule.id, dueAt: dueAt, firedAt: tx.now, state: .missed)
            )
        }
        if outcome.nextAt != schedule.nextAt { move(schedule, to: outcome.nextAt) }
        endIfOnce(schedule, at: tx.now)
        guard let dueAt = outcome.run else { return nil }
        let trigger = Trigger(schedule.id, dueAt: dueAt)
        // `load` has looked up only the trigger's own occurrence in the stored runs. The occurrence to run now may be a
        // later occurrence, so it is looked up here.
        try tx.runs.find([trigger]) { _ in taken.insert(trigger) }
        return taken.insert(trigger).inserted ? DueRun(schedule: schedule, dueAt: dueAt) : nil
    }

    // MARK: Commands

    /// Makes the commands of due runs.
    ///
    /// A run fails without a command if the schedule's creator may no longer control the device, or if the attributes
    /// no longer fit the product. A run also fails if the device isn't connected or has too many queued commands.
    private mutating func makeCommands(
        for dueRuns: [DueRun],
        in work: inout UnitOfWork
    ) throws {
        var bindings: [Int: Binding] = [:]
        try work.tx.bindings.load(dueRuns.map { ($0.schedule.did, $0.schedule.creator) }) { bindings[$0] = $1 }
        var records: [Int: StatusRecord] = [:]
        try work.tx.statuses.load(dueRuns.map(\.schedule.did)) { records[$0] = $1 }
        let dids = Set(dueRuns.map(\.schedule.did)).sorted()
        var waiting = try work.tx.commands.queuedCounts(dids)
        var allowed: [(run: DueRun, product: Product)] = []
        for (index, run) in dueRuns.enumerated() {
            let permission = try Self.permit(run.schedule, of: bindings[index], on: records[index], in: work)
            switch permission {
            case .failure(let rejection): fail(run, with: rejection, at: work.now)
            case .success(let product):
                let queued = waiting[run.schedule.did] ?? 0
                guard CommandQueueLimits.hasRoom(beside: queued, in: work.limits) else {
                    fail(run, with: CommandQueueLimits.full, at: work.now)
                    continue
                }
                waiting[run.schedule.did] = queued + 1
                allowed.append((run, product))
            }
        }
        let cids = try work.tx.devices.nextCommandIDs(allowed.map(\.run.schedule.did))
        for (index, (run, product)) in allowed.enumerated() {
            makeCommand(for: run, of: product, cid: cids[index] ?? 0, at: work.now)
        }
    }

    private mutating func fail(_ run: DueRun, with rejection: Rejection, at now: Instant) {
        runs.append(ScheduleRun(run.schedule.id, dueAt: run.dueAt, firedAt: now, state: .failed, error: rejection.code))
    }

    /// Checks that a schedule's creator may control the device, and that the device is connected.
    private static func permit(
        _ schedule: Schedule,
        of binding: Binding?,
        on record: StatusRecord?,
        in work: UnitOfWork
    ) throws -> Result<Product, Rejection> {
        guard let binding, let record, let product = try work.product(record.productKey) else {
            return .failure(Rejection(.notBound, "The creator is no longer bound."))
        }
        if let code = binding.refusal(of: .write, at: work.now) {
            return .failure(Rejection(code, "The creator is not allowed to control the device."))
        }
        if let rejection = ProductRules.check(written: schedule.attrs, product: product) { return .failure(rejection) }
        guard record.status.presence.isOnline else {
            return .failure(Rejection(.deviceOffline, "The device is not connected."))
        }
        return .success(product)
    }

    private mutating func makeCommand(for run: DueRun, of product: Product, cid: Int64, at now: Instant) {
        let schedule = run.schedule
        let request = CommandRequest(did: schedule.did, data: schedule.attrs, actor: Actor(.schedule, schedule.id.text))
        commands.append(request.command(cid: cid, product: product, at: now))
        runs.append(ScheduleRun(schedule.id, dueAt: run.dueAt, firedAt: now, state: .sent, cid: cid))
    }

    // MARK: Save

    private func save(in work: inout UnitOfWork) throws {
        try work.tx.runs.add(runs, of: runs.compactMap { schedules[$0.schedule]?.did })
        try work.tx.commands.save(commands)
        for command in commands { work.effects.observed.add(CommandStep(.accepted, command)) }
        // The control worker sends all commands of a device, so that they keep their order.
        let dids = Set(commands.map(\.did)).sorted()
        try work.tx.commands.requestDispatches(dids.map { DispatchRequest(did: $0, at: work.now) })
        try work.tx.schedules.plan(changed.sorted().compactMap { schedules[$0] })
        let ended = runs.filter { $0.state != .sent }
        let states = ended.map(\.state)
        work.tx.afterCommit { for state in states { ScheduleMetrics.shared.ran(state) } }
        try ScheduleRuns.publish(ended.compactMap { run in schedules[run.schedule].map { ($0.did, run) } }, in: &work)
        for did in devicesToPush.sorted() { try ScheduleNotifications.push(did, in: &work) }
        if !commands.isEmpty { work.effects.wake(.control) }
    }
}
