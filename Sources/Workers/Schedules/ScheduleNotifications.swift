import Domain
import Storage
import Wire

/// Tells the users of a device of its schedules and their runs.
enum ScheduleNotifications {
    /// Pushes a device's schedules to all its users; leaves out guests whose time is over.
    static func push(_ did: DeviceID, in work: inout UnitOfWork) throws {
        let schedules = try work.tx.schedules.all(ofDevice: did)
        var bytes = 128
        let product = try work.product(of: did)
        let rows = try ScheduleLists.rows(schedules, product: product, bytes: &bytes, in: work.tx)
        let payload = ScheduleCodec.push(
            did,
            rows,
            next: ScheduleLists.next(schedules, shown: rows.count)
        )
        for binding in try work.tx.bindings.all(of: did) where !binding.isOver(at: work.now) {
            let topic = work.topics.user(binding.uid, "schedule")
            work.effects.publish(OutboundMessage(topic, payload))
        }
    }

    // MARK: Runs

    /// Tells the outcomes of runs, and stores them among the devices' events.
    static func publish(
        _ runs: [(did: DeviceID, run: ScheduleRun)],
        in work: inout UnitOfWork
    ) throws {
        guard !runs.isEmpty else { return }
        let events = runs.map { ScheduleCodec.event(of: $0.run, at: work.now) }
        try work.tx.events.append(zip(runs, events).map { ($0.did, $1) })
        try work.tx.bindings.subscribers(of: runs.map(\.did)) { place, uid, _ in
            work.effects.publish(
                OutboundMessage(
                    work.topics.user(uid, device: runs[place].did, "event"),
                    EventCodec.encode(events[place], for: uid)
                )
            )
        }
    }

    /// Stores the outcome of a schedule's command in its run, and tells it.
    static func finish(_ command: Command, in work: inout UnitOfWork) throws {
        guard let state = ScheduleRun.State(command.state) else { return }
        let run = try work.tx.runs.finish(
            ScheduleID(trusted: command.actor.id),
            cid: command.cid,
            state,
            // A device that refuses gives a code of its own.
            error: state == .failed && command.code == nil ? command.refusal ?? .internal : nil,
            code: state == .failed ? command.code : nil
        )
        guard let run else { return }
        ScheduleMetrics.shared.ran(state)
        try publish([(command.did, run)], in: &work)
    }
}
