import Storage
import Synchronization

/// Limits the rows and bytes of tables that clients fill: counts, requests remembered for repeats, and dead
/// letters.
///
/// Their rows expire by themselves; this is for floods, which add more rows in that time than there is room for.
/// Each step deletes the oldest rows first.
final class RowBounds: Sendable {
    private let environment: Environment
    private let lastLetter = Mutex<Int64>(0)
    private let requestBytes = Mutex(RequestBytes())

    /// Pages of new requests that one round reads.
    private static let pagesMax = 20

    init(_ environment: Environment) { self.environment = environment }

    /// Runs one round; returns whether more rows must be deleted.
    func trim() throws -> Bool {
        let counts = environment.limits.counts
        let step = environment.limits.sweepStep
        // A dead letter may have 64 KiB: all excess ones are deleted at once.
        try trimLetters(counts.deadLetterBytesMax)
        let isHeavy = try trimRequests(counts.requestBytesMax, step: step)
        let excess = try environment.store.read { tx in
            (
                counts: try tx.attempts.count() - Int64(counts.rowsMax),
                requests: try tx.requests.excess(over: counts.requestRowsMax)
            )
        }
        guard excess.counts > 0 || excess.requests else { return isHeavy }
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

    /// Deletes the oldest requests beyond `max` bytes: some answers are as long as a payload.
    private func trimRequests(_ max: Int, step: Int) throws -> Bool {
        var bytes = requestBytes.withLock { $0 }
        var isMore = true
        try environment.store.read { tx in
            bytes.begin(with: try tx.requests.ends())
            for _ in 0..<Self.pagesMax where isMore {
                let page = try tx.requests.weigh(after: bytes.seen, limit: step)
                if let page { bytes.append(page) }
                isMore = page?.rows == step
            }
        }
        if let cut = bytes.popExcess(over: Int64(max)) {
            try environment.store.batch(at: environment.clock.now) { tx in
                try tx.requests.drop(upTo: cut)
            }
            isMore = true
        }
        requestBytes.withLock { [bytes] in $0 = bytes }
        return isMore
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
