import Domain
import Storage

/// A job that moves records from the history buffer, where batches add them, into the devices' chunks.
///
/// It runs if enough records wait, or if one has waited long.
struct HistoryCompaction: MaintenanceJob {
    private let environment: Environment
    /// The round under way; a failure ends it, and a later round finds the remaining records in the buffer.
    private var round: Compaction?

    let name = "historyCompaction"
    let interval: Duration = .seconds(1)
    let pause: Duration = .milliseconds(2)
    /// 1 MB, a quarter of the buffer's limit: a check delays the workers by a third of a millisecond.
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
            // The next run reads the remaining records again.
            return false
        }
    }

    /// Begins a round if it is time, for this process's part of the buffer or for the part of a process that is gone.
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
        return try environment.store.beginCompaction(
            of: owner,
            bytesMax: limits.historyBufferBytes * 2,
            step: limits.historyStep
        )
    }
}
