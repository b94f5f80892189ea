import Domain
import Storage
import Wire

/// The effects of a batch on commands: devices answer them, or begin to listen to them.
extension StatusBatch {
    /// Notes a report's answer to a command.
    mutating func note(_ report: Report, at now: Instant, did: DeviceID) {
        guard let cid = report.cid else { return }
        let key = CommandKey(did: did, cid: cid)
        guard var command = commands[key] else { return }
        let before = command
        let isFinished = CommandRules.answered(
            &command,
            code: report.code ?? 0,
            data: report.points.first?.data,
            at: now
        )
        guard command != before else { return }
        if isFinished { finished.insert(key) }
        commands[key] = command
        if !answered.contains(key) { answered.append(key) }
    }

    /// Writes the answered commands, and tells the outcomes of the finished ones.
    ///
    /// Outcomes are owed apart: they go before the many other messages, since callers wait for them.
    mutating func saveCommands(in tx: Transaction) throws {
        guard !answered.isEmpty else { return }
        try tx.commands.update(answered.compactMap { commands[$0] })
        for key in answered where finished.contains(key) {
            guard let command = commands[key] else { continue }
            let product = places[key.did].flatMap { self.product(of: $0) }
            var work = beginWork(in: tx)
            try CommandOutcome.answer(command, product: product, in: &work)
            outcomes.merge(work.effects)
            work.effects = Effects()
            try CommandOutcome.publishScheduleRun(command, in: &work)
            effects.merge(work.effects)
        }
    }

    /// Calls the control worker to send the commands queued for devices that have connected, and to repeat those sent
    /// before the devices listened.
    mutating func requestDispatches(in tx: Transaction) throws {
        let called = arrived.union(connected).union(listening).sorted()
        guard !called.isEmpty else { return }
        let later = tx.now.adding(seconds: dispatchSeconds)
        try tx.commands.requestDispatches(
            called.map { did in
                DispatchRequest(
                    did: did,
                    at: listening.contains(did) ? tx.now : later,
                    sentBefore: connected.contains(did) || listening.contains(did) ? tx.now : nil
                )
            }
        )
        effects.wake(.control)
    }
}
