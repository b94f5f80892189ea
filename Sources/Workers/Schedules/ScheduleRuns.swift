import Domain
import Storage
import Wire

/// The outcomes of schedules' runs.
enum ScheduleRuns {
    /// Publishes the outcomes of runs, and stores them as events of the devices.
    static func publish(_ runs: [(did: DeviceID, run: ScheduleRun)], in work: inout UnitOfWork) throws {
        guard !runs.isEmpty else { return }
        let events = runs.map { ScheduleCodec.event(of: $0.run, at: work.now) }
        try work.tx.events.append(zip(runs, events).map { ($0.did, $1) })
        for (run, event) in zip(runs, events) {
            work.log(event, of: run.did, product: try work.tx.statuses.find(run.did)?.productKey)
        }
        try work.tx.bindings.subscribers(of: runs.map(\.did)) { index, uid, _ in
            let topic = work.topics.user(uid, device: runs[index].did, "event")
            work.effects.publish(EventCodec.encode(events[index], for: uid), to: topic)
        }
    }

    /// Stores the outcome of a schedule's command in the run, and notifies the device's users.
    static func finish(_ command: Command, in work: inout UnitOfWork) throws {
        guard let state = ScheduleRun.State(command.state) else { return }
        let run = try work.tx.runs.finish(
            ScheduleID(trusted: command.actor.id),
            of: command.did,
            cid: command.cid,
            as: state,
            // If the device refused the command, the device's own code is recorded instead of an error.
            error: state == .failed && command.code == nil ? command.refusal ?? .internal : nil,
            code: state == .failed ? command.code : nil
        )
        guard let run else { return }
        work.tx.afterCommit { ScheduleMetrics.shared.ran(state) }
        try publish([(command.did, run)], in: &work)
    }
}
