import Domain
import Storage

// The jobs in this file limit the rows and bytes of tables that clients fill. Each row is deleted when it expires, but
// clients can add too many rows before the first rows expire. Each step deletes the oldest rows first.

/// A job that deletes the oldest dead letters when their bytes or their number exceed a limit.
struct DeadLetterBound: MaintenanceJob {
    private let environment: Environment
    /// The id of the dead letter that was the newest at the last step.
    private var seen: Int64 = 0
    let name = "deadLetter"

    init(_ environment: Environment) { self.environment = environment }

    /// Deletes all excess letters in one step, because even a few letters can take up much space (64 KiB each).
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
            try environment.store.batch(at: environment.clock.now) { tx in try tx.deadLetters.drop(upTo: cut) }
        }
        seen = newest
        return false
    }

    /// Returns the number of dead letters that exceed the limit.
    func backlog(limit: Int) throws -> Int64? {
        let count = try environment.store.read { tx in try tx.deadLetters.count() }
        return min(Int64(limit), max(0, count - Int64(environment.limits.deadLettersMax)))
    }
}

/// A job that deletes the oldest remembered requests when their number or bytes exceed a limit.
struct RequestBound: MaintenanceJob {
    private let environment: Environment
    private var bytes = RequestBytes()
    /// The maximum number of pages of requests that a step reads.
    private static let pagesMax = 20
    let name = "excessRequest"

    init(_ environment: Environment) { self.environment = environment }

    mutating func step() throws -> Bool {
        let isHeavy = try deleteHeavy()
        let (step, rowsMax) = (environment.limits.sweepStep, environment.limits.counts.requestRowsMax)
        guard try environment.store.read({ try $0.requests.excess(over: rowsMax) }) else { return isHeavy }
        try environment.store.batch(at: environment.clock.now) { tx in try tx.requests.trim(to: rowsMax, limit: step) }
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
            try environment.store.batch(at: environment.clock.now) { tx in try tx.requests.drop(upTo: cut) }
            isMore = true
        }
        self.bytes = bytes
        return isMore
    }
}

/// A job that limits the number of rows of one kind by deleting the rows that expire first.
struct ExcessRows: MaintenanceJob {
    private let environment: Environment
    private let rows: ExpiringRows
    private let most: Int
    let name: String

    private init(_ environment: Environment, _ rows: ExpiringRows, name: String, most: Int) {
        self.environment = environment
        self.rows = rows
        self.name = name
        self.most = most
    }

    /// Makes the job that limits the number of counters of attempts.
    static func attempts(_ environment: Environment) -> ExcessRows {
        ExcessRows(environment, .attempt, name: "excessAttempt", most: environment.limits.counts.rowsMax)
    }

    /// Makes the job that limits the number of records of messages.
    static func messageRecords(_ environment: Environment) -> ExcessRows {
        ExcessRows(environment, .messageRecord, name: "excessMessageRecord", most: environment.limits.messageRecordsMax)
    }

    func step() throws -> Bool {
        let step = environment.limits.sweepStep
        let everything = Instant(milliseconds: .max)
        let count = try environment.store.read { tx in
            try tx.retention.count(rows, before: everything, limit: most + step + 1)
        }
        let excess = Int(count) - most
        guard excess > 0 else { return false }
        try environment.store.batch(at: environment.clock.now) { tx in
            _ = try tx.retention.delete(rows, before: everything, limit: min(excess, step))
        }
        return excess > step
    }
}

/// A job that deletes the gate's refusals when their age or number exceeds a limit.
struct RefusalBound: MaintenanceJob {
    private let environment: Environment
    let name = "refusal"

    init(_ environment: Environment) { self.environment = environment }

    func step() throws -> Bool {
        let limits = environment.limits
        let now = environment.clock.now
        try environment.store.batch(at: now) { tx in
            try tx.refusals.prune(keeping: limits.refusalsMax, since: now.adding(seconds: -limits.refusalSeconds))
        }
        return false
    }
}
