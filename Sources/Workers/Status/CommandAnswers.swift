import Domain
import Storage

/// The commands that are answered by the reports of a batch.
struct CommandAnswers {
    private struct Key: Hashable {
        var did: DeviceID
        var cid: Int64
    }

    private var commands: [Key: Command] = [:]
    /// The commands with a new answer, in the order in which the answers arrived.
    private var answered: [Key] = []
    /// The answered commands whose outcomes are now final and must be published.
    private var finished: Set<Key> = []

    /// Loads the commands whose numbers occur in the batch's reports.
    mutating func load(_ items: [StatusItem], in tx: Transaction) throws {
        let named = items.compactMap { item -> (did: DeviceID, cid: Int64)? in
            guard case .report(let received) = item.input, let cid = received.report.cid else { return nil }
            return (item.did, cid)
        }
        try tx.commands.load(named) { commands[Key(did: $1.did, cid: $1.cid)] = $1 }
    }

    /// Returns the sender of the command that a report answers.
    ///
    /// The result is nil if there is no command, or if a former user sent it. Current users must not see former users.
    func sender(of report: Report, from device: DeviceEntry) -> Actor? {
        guard let cid = report.cid, let command = commands[Key(did: device.did, cid: cid)] else { return nil }
        return command.user.map { device.isSubscribed($0) } ?? true ? command.actor : nil
    }

    /// Records a report's answer to a command.
    mutating func recordAnswer(_ report: Report, from did: DeviceID, at now: Instant) {
        guard let cid = report.cid else { return }
        let key = Key(did: did, cid: cid)
        guard var command = commands[key] else { return }
        let before = command
        let (code, data) = (report.code ?? 0, report.points.first?.data)
        let isFinished = CommandRules.answered(&command, code: code, data: data, at: now)
        guard command != before else { return }
        if isFinished { finished.insert(key) }
        commands[key] = command
        if !answered.contains(key) { answered.append(key) }
    }

    /// Writes the answered commands; returns the outcomes of the finished commands.
    ///
    /// Callers are waiting for the outcomes. Therefore, the outcomes are returned separately and published before all
    /// other messages.
    func save(of devices: DeviceEntries, in work: inout UnitOfWork) throws -> Effects {
        var outcomes = Effects()
        guard !answered.isEmpty else { return outcomes }
        try work.tx.commands.update(answered.compactMap { commands[$0] })
        for key in answered where finished.contains(key) {
            guard let command = commands[key] else { continue }
            var part = work.branch()
            let product = devices.product(of: key.did)
            try CommandOutcome.answer(command, product: product, in: &part)
            outcomes.merge(part.effects)
            part.effects = Effects()
            try CommandOutcome.endScheduleRun(command, in: &part)
            work.merge(part)
        }
        return outcomes
    }
}
