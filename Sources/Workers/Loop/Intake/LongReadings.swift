import Domain

/// Requests for long readings, such as history, which wait behind all other requests in a separate line.
///
/// They are acknowledged like held requests (`HeldRequests`), so that later requests are not counted as waiting. While
/// many wait, each terminal has an equal share of the places.
struct LongReadings {
    /// A request that waits.
    struct Waiting {
        var message: Inbound
        var party: UInt64
        /// Whether it was held before (`HeldRequests`), and is not held again.
        var wasHeld: Bool
    }

    private let perTerminal: Int
    private let countMax: Int
    private let bytesMax: Int
    private var line = FairLine<UInt64, Waiting>()
    /// The bytes of the waiting requests.
    private(set) var bytes = 0
    private var refused: [(message: Inbound, rejection: Rejection)] = []

    /// Makes an empty line.
    ///
    /// Beyond a quarter of the intake, each terminal is limited to its share; from half of the intake's bytes on, all
    /// requests are refused.
    init(_ limits: Limits) {
        perTerminal = limits.heldPerTerminal
        countMax = limits.intakeMax / 4
        bytesMax = limits.intakeBytes / 4
    }

    /// The number of requests that wait.
    var count: Int { line.count }

    /// Adds a request behind the earlier ones of its terminal, or refuses it beyond the terminal's share.
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
        "Too many long readings wait; wait for the answers.",
        retryAfter: 1
    )

    /// Removes and returns the first request of the terminal whose turn it is.
    mutating func popFirst() -> Waiting? {
        guard let first = line.popFirst() else { return nil }
        bytes -= first.message.size
        return first
    }

    /// Returns the requests refused since the last call.
    mutating func takeRefused() -> [(message: Inbound, rejection: Rejection)] {
        defer { refused = [] }
        return refused
    }
}
