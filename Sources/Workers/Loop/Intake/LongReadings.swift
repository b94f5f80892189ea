import Domain

/// Requests that read much data, which wait in a queue of their own because other requests are served first.
///
/// Waiting requests are acknowledged, as in `HeldRequests`. If many requests wait, each terminal gets an equal share of
/// the queue.
struct LongReadings {
    /// A waiting request that reads a lot of data.
    struct Waiting {
        var message: Inbound
        var party: UInt64
        /// Whether the request was held before (`HeldRequests`), so that it is not held again.
        var wasHeld: Bool
    }

    private let perTerminal: Int
    private let countMax: Int
    private let bytesMax: Int
    private var line = FairLine<UInt64, Waiting>()
    /// The bytes of the waiting requests.
    private(set) var bytes = 0
    private var refused: [(message: Inbound, rejection: Rejection)] = []

    /// Makes an empty queue.
    ///
    /// If the queue fills more than a quarter of the intake's limit, each terminal gets an equal share of the queue. If
    /// the queue's bytes reach half of the intake's limit, all new requests are refused.
    init(_ limits: Limits) {
        perTerminal = limits.heldPerTerminal
        countMax = limits.intakeMax / 4
        bytesMax = limits.intakeBytes / 4
    }

    /// The number of waiting requests.
    var count: Int { line.count }

    /// Adds a request after the earlier requests of its terminal, or refuses it if the terminal's share is used up.
    mutating func add(_ message: Inbound, of party: UInt64, wasHeld: Bool) {
        let own = line.count(of: party)
        let isFull = line.count >= countMax || bytes + message.size > bytesMax
        let share = isFull ? max(1, countMax / max(1, line.parties)) : perTerminal
        guard own < min(share, perTerminal), bytes < 2 * bytesMax else {
            return refused.append((message, Self.rejection))
        }
        bytes += message.size
        line.append(Waiting(message: message, party: party, wasHeld: wasHeld), of: party)
    }

    private static let rejection = Rejection(
        .tooManyRequests,
        "Too many long queries are waiting; wait for their answers.",
        retryAfter: 1
    )

    /// Removes and returns the first request of the terminal whose turn it is.
    mutating func popFirst() -> Waiting? {
        guard let first = line.popFirst() else { return nil }
        bytes -= first.message.size
        return first
    }

    /// Returns the requests refused since the last call.
    mutating func takeRefused() -> [(message: Inbound, rejection: Rejection)] { exchange(&refused, with: []) }
}
