import Domain
import Storage

// Limits of the rows and bytes of tables that clients fill. Their rows expire by themselves; these jobs are for
// floods, which add more rows in that time than there is room for. Each step deletes the oldest rows first.

/// Deletes the oldest dead letters beyond their bytes and their number.
struct DeadLetterBound: MaintenanceJob {
    private let environment: Environment
    /// The newest letter of the last step: without newer ones there is nothing to weigh.
    private var seen: Int64 = 0
    let name = "deadLetter"
    let interval: Duration = .seconds(5)

    init(_ environment: Environment) { self.environment = environment }

    /// Deletes all at once: a letter may have 64 KiB.
    mutating func step() throws -> Bool {
        let limits = environment.limits
        let (newest, heavy) = try environment.store.read { [seen] tx -> (Int64, Int64?) in
            let newest = try tx.deadLetters.newest()
            guard newest != seen else { return (newest, nil) }
            let bytesMax = limits.counts.deadLetterBytesMax
            return (newest, try tx.deadLetters.firstTooMany(bytes: bytesMax))
        }
        let cut = max(heavy ?? 0, newest - Int64(limits.deadLettersMax))
        if newest != seen, cut > 0 {
            try environment.store.batch(at: environment.clock.now) { tx in
                try tx.deadLetters.drop(upTo: cut)
            }
        }
        seen = newest
        return false
    }

    /// Counts the letters beyond their number.
    func backlog(limit: Int) throws -> Int64? {
        let count = try environment.store.read { tx in try tx.deadLetters.count() }
        return min(Int64(limit), max(0, count - Int64(environment.limits.deadLettersMax)))
    }
}

/// Deletes the oldest requests remembered for repeats, beyond their number and their bytes: some answers are as
/// long as a payload.
struct RequestBound: MaintenanceJob {
    private let environment: Environment
    private var bytes = RequestBytes()
    /// Pages of new requests that one step reads.
    private static let pagesMax = 20
    let name = "excessRequest"
    let interval: Duration = .seconds(5)

    init(_ environment: Environment) { self.environment = environment }

    mutating func step() throws -> Bool {
        let isHeavy = try deleteHeavy()
        let (step, rowsMax) = (
            environment.limits.sweepStep, environment.limits.counts.requestRowsMax
        )
        guard try environment.store.read({ try $0.requests.excess(over: rowsMax) }) else {
            return isHeavy
        }
        try environment.store.batch(at: environment.clock.now) { tx in
            try tx.requests.trim(to: rowsMax, limit: step)
        }
        return true
    }

    private mutating func deleteHeavy() throws -> Bool {
        let step = environment.limits.sweepStep
        var bytes = self.bytes
        var isMore = true
        try environment.store.read { tx in
            bytes.begin(with: try tx.requests.ends())
            for _ in 0..<Self.pagesMax where isMore {
                let page = try tx.requests.weigh(after: bytes.seen, limit: step)
                if let page { bytes.append(page) }
                isMore = page?.rows == step
            }
        }
        if let cut = bytes.popExcess(over: Int64(environment.limits.counts.requestBytesMax)) {
            try environment.store.batch(at: environment.clock.now) { tx in
                try tx.requests.drop(upTo: cut)
            }
            isMore = true
        }
        self.bytes = bytes
        return isMore
    }
}

/// Deletes the counters of tries that end first, beyond their number.
struct AttemptBound: MaintenanceJob {
    private let environment: Environment
    let name = "excessAttempt"
    let interval: Duration = .seconds(5)

    init(_ environment: Environment) { self.environment = environment }

    func step() throws -> Bool {
        let limits = environment.limits
        let excess =
            try environment.store.read { try $0.attempts.count() } - Int64(limits.counts.rowsMax)
        guard excess > 0 else { return false }
        try environment.store.batch(at: environment.clock.now) { tx in
            _ = try tx.attempts.dropOldest(Int(clamping: min(excess, Int64(limits.sweepStep))))
        }
        return true
    }
}

/// Deletes the gate's refusals beyond their time and their number.
struct RefusalBound: MaintenanceJob {
    private let environment: Environment
    let name = "refusal"
    let interval: Duration = .seconds(5)

    init(_ environment: Environment) { self.environment = environment }

    func step() throws -> Bool {
        let limits = environment.limits
        let now = environment.clock.now
        try environment.store.batch(at: now) { tx in
            try tx.refusals.prune(
                keeping: limits.refusalsMax,
                since: now.adding(seconds: -limits.refusalSeconds)
            )
        }
        return false
    }
}

/// Deletes the records of messages that ended first, beyond their number.
struct MessageRecordBound: MaintenanceJob {
    private let environment: Environment
    let name = "excessMessageRecord"
    let interval: Duration = .seconds(5)

    init(_ environment: Environment) { self.environment = environment }

    func step() throws -> Bool {
        let limits = environment.limits
        let excess =
            try environment.store.read { try $0.messageRecords.count() }
            - Int64(limits.messageRecordsMax)
        guard excess > 0 else { return false }
        let step = min(excess, Int64(limits.sweepStep))
        try environment.store.batch(at: environment.clock.now) { tx in
            try tx.messageRecords.dropOldest(Int(clamping: step))
        }
        return excess > step
    }
}
