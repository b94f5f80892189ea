import Domain
import Storage
import Wire

/// What a batch does to commands: devices answer them, and come to hear them.
extension StatusBatch {
    /// Notes what a report says of a command.
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

    /// Writes the commands that were answered, and tells of those that are done with.
    ///
    /// What somebody waits for is owed apart: it goes in front of all else, of which there may be much.
    mutating func saveCommands(in tx: Transaction) throws {
        guard !answered.isEmpty else { return }
        try tx.commands.update(answered.compactMap { commands[$0] })
        for key in answered where finished.contains(key) {
            guard let command = commands[key] else { continue }
            let product = places[key.did].flatMap { self.product(of: $0) }
            try CommandOutcome.answer(
                command,
                product: product,
                topics: topics,
                in: tx,
                owed: &outcomes
            )
            try CommandOutcome.tellSchedule(command, topics: topics, in: tx, owed: &owed)
        }
    }

    /// Has the control worker send what waits for devices that have come, and once more what went out before
    /// they listened.
    mutating func callWaiting(in tx: Transaction) throws {
        let called = arrived.union(connected).union(listening).sorted()
        guard !called.isEmpty else { return }
        let later = tx.now.adding(seconds: callSeconds)
        try tx.commands.call(
            called.map { did in
                CommandCall(
                    did: did,
                    at: listening.contains(did) ? tx.now : later,
                    sentBefore: connected.contains(did) || listening.contains(did) ? tx.now : nil
                )
            }
        )
        owed.wake(.control)
    }
}
