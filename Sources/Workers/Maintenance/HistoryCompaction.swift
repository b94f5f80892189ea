import Domain
import Storage

/// A job that moves records from the history buffer into the devices' chunks.
///
/// A round begins if there are enough records or a record has waited long.
struct HistoryCompaction: MaintenanceJob {
    private let environment: Environment
    /// The round under way, whose remaining records stay in the buffer after a failure.
    private var round: Compaction?

    let name = "historyCompaction"
    let interval: Duration = .seconds(1)
    let pause: Duration = .milliseconds(2)
    /// After this number of written pages (1 MB), the buffer is checked.
    ///
    /// 1 MB is a quarter of the buffer's limit. Each check delays the workers by a third of a millisecond.
    let pagesBetween: Int? = 500

    init(_ environment: Environment) { self.environment = environment }

    mutating func step() throws -> Bool {
        guard var compaction = try round ?? begin() else { return false }
        round = nil
        do {
            let isMore = try compaction.sort() || compaction.move(in: environment.store, at: environment.clock.now)
            round = isMore ? compaction : nil
            return isMore
        } catch is RoundTaken {
            // Another process has taken over the round. The next run reads the remaining records again.
            return false
        }
    }

    /// Begins a due round, for this process's records or those of an ended process.
    private func begin() throws -> Compaction? {
        for owner in try environment.store.ownersToCompact() { if let round = try begin(owner) { return round } }
        return nil
    }

    private func begin(_ owner: NodeSlot) throws -> Compaction? {
        let limits = environment.limits
        let now = environment.clock.now
        let depth = try environment.store.read { tx in try tx.history.buffer.depth(of: owner) }
        guard let since = depth.since else { return nil }
        let oldest = now.adding(seconds: -limits.historyBufferSeconds)
        guard depth.bytes >= limits.historyBufferBytes || since <= oldest || since > now else { return nil }
        let bytesMax = limits.historyBufferBytes * 2
        return try environment.store.beginCompaction(of: owner, bytesMax: bytesMax, step: limits.historyStep)
    }
}
