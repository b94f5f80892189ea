import Storage
import Synchronization

/// Keeps tables within their rows and bytes that others make grow: counts, requests that are remembered
/// for repeats, and dead letters.
///
/// Their rows go by themselves when their time is over; this is for floods, which make more in that time
/// than there is room for. Within a step everything goes oldest first.
final class RowBounds: Sendable {
    private let environment: Environment
    private let lastLetter = Mutex<Int64>(0)

    init(_ environment: Environment) { self.environment = environment }

    /// One round; tells whether more is to go.
    func trim() throws -> Bool {
        let counts = environment.limits.counts
        let step = environment.limits.sweepStep
        // A letter too many may be a message's whole 64 KiB: all that is too much goes at once.
        try trimLetters(counts.deadLetterBytesMax)
        let excess = try environment.store.read { tx in
            (
                counts: try tx.attempts.count() - Int64(counts.rowsMax),
                requests: try tx.requests.excess(over: counts.requestRowsMax)
            )
        }
        guard excess.counts > 0 || excess.requests else { return false }
        try environment.store.batch(at: environment.clock.now) { tx in
            if excess.counts > 0 {
                _ = try tx.attempts.dropOldest(Int(clamping: min(excess.counts, Int64(step))))
            }
            if excess.requests {
                try tx.requests.trim(to: counts.requestRowsMax, limit: step)
            }
        }
        return true
    }

    private func trimLetters(_ max: Int) throws {
        let seen = lastLetter.withLock { $0 }
        let (newest, cut) = try environment.store.read { tx -> (Int64, Int64?) in
            let newest = try tx.deadLetters.newest()
            guard newest != seen else { return (newest, nil) }
            return (newest, try tx.deadLetters.firstTooMany(bytes: max))
        }
        if let cut {
            try environment.store.batch(at: environment.clock.now) { tx in
                try tx.deadLetters.drop(upTo: cut)
            }
        }
        lastLetter.withLock { $0 = newest }
    }
}
