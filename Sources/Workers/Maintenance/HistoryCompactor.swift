import Domain
import Glibc
import Storage

/// Moves records from the history buffer, where batches add them, into the devices' chunks.
///
/// It runs if enough records wait, or if one has waited long, in transactions so short that they don't delay
/// workers.
struct HistoryCompactor {
    private let store: Store
    private let clock: any WallClock
    private let limits: Limits
    /// The pause between two transactions, so that a message never waits for more than one.
    private static let breathMicroseconds: UInt32 = 2000

    init(_ environment: Environment) {
        store = environment.store
        clock = environment.clock
        limits = environment.limits
    }

    /// Runs one round if it is time; stops between two transactions if `isGoing` is false.
    func compact(while isGoing: () -> Bool) throws {
        let depth = try store.read { tx in try tx.history.buffer.depth() }
        guard let since = depth.since else { return }
        let oldest = clock.now.adding(seconds: -limits.historyBufferSeconds)
        guard depth.bytes >= limits.historyBufferBytes || since <= oldest || since > clock.now
        else {
            return
        }
        try store.compactHistory(
            bytesMax: limits.historyBufferBytes * 2,
            step: limits.historyStep,
            at: { clock.now }
        ) {
            usleep(Self.breathMicroseconds)
            return isGoing()
        }
    }
}
