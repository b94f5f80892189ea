import DequeModule
import Domain

/// The queued requests of terminals that have exceeded their answer budget.
///
/// The requests of each terminal stay in order. Queued requests are already acknowledged, because one missing
/// acknowledgement would delay all later ones. A crash can lose a request that is queued or waits for slow work. The
/// client then repeats the request.
struct HeldRequests {
    private let budget: AnswerBudget?
    private let perTerminal: Int
    private let countMax: Int
    private let bytesMax: Int
    private var lines: [UInt64: Deque<Inbound>] = [:]
    private(set) var count = 0
    private var bytes = 0
    private var refused: [(message: Inbound, rejection: Rejection)] = []
    /// Whether the worker is stopping, so that `release` returns all requests.
    private var isEnding = false

    /// Makes an empty queue whose limit is a quarter of the intake's limit.
    ///
    /// If `budget` is nil, no request is ever queued.
    init(_ budget: AnswerBudget?, _ limits: Limits) {
        self.budget = budget
        perTerminal = limits.heldPerTerminal
        countMax = limits.intakeMax / 4
        bytesMax = limits.intakeBytes / 4
    }

    /// Returns whether any request may have to wait.
    func isActive(at now: ContinuousClock.Instant) -> Bool {
        count > 0 || (budget?.hasDebtors(at: now) ?? false) && !isEnding
    }

    /// Returns whether a party's next request has to wait.
    func mustHold(_ party: UInt64, at now: ContinuousClock.Instant) -> Bool {
        !isEnding && (lines[party] != nil || budget?.wait(of: party, at: now) != nil)
    }

    /// Queues a request, or refuses it if too many requests are waiting.
    mutating func hold(_ message: Inbound, of party: UInt64, at now: ContinuousClock.Instant) {
        let size = message.size
        guard lines[party]?.count ?? 0 < perTerminal, count < countMax, bytes + size <= bytesMax else {
            let wait = budget?.wait(of: party, at: now) ?? .zero
            return refused.append((message, Self.rejection(after: wait)))
        }
        lines[party, default: []].append(message)
        count += 1
        bytes += size
    }

    private static func rejection(after wait: Duration) -> Rejection {
        Rejection(
            .tooManyRequests,
            "This terminal has requested too much data at once; wait for the answers.",
            retryAfter: wait.components.seconds + 1
        )
    }

    /// Removes and returns the first request of each party that has budget again.
    mutating func release(at now: ContinuousClock.Instant) -> [(message: Inbound, party: UInt64)] {
        guard count > 0 else { return [] }
        var free: [(message: Inbound, party: UInt64)] = []
        for party in lines.keys where isEnding || budget?.wait(of: party, at: now) == nil {
            repeat {
                guard let message = lines[party]?.popFirst() else { break }
                count -= 1
                bytes -= message.size
                free.append((message, party))
            } while isEnding
            if lines[party]?.isEmpty == true { lines[party] = nil }
        }
        return free
    }

    /// Returns the requests refused since the last call.
    mutating func takeRefused() -> [(message: Inbound, rejection: Rejection)] { exchange(&refused, with: []) }

    /// Returns the time until the first queued request can be released, or nil if no request is waiting.
    func pause(at now: ContinuousClock.Instant) -> Duration? {
        lines.keys.map { budget?.wait(of: $0, at: now) ?? .zero }.min()
    }

    /// Makes the next `release` return all requests.
    mutating func end() { isEnding = true }
}
