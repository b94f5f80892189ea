import Metering

/// The limit on newcomers from all source addresses together, including addresses of this machine.
///
/// A newcomer is a client that connects with the shared secret of a product or an app, and whose client id the gate
/// hasn't admitted before. A terminal that connects with its session's token is never a newcomer.
///
/// While several apps or products have newcomers, each gets at most half of the limit. The gate remembers hashes of at
/// least the newest 100,000 admitted client ids.
struct Newcomers {
    private let perSecond: Int
    private var bucket: TokenBucket
    private var second: Int64 = 0
    /// How many newcomers of each app or product were admitted in this second.
    private var admitted: [String: Int] = [:]
    /// The apps and products whose newcomers tried to connect in this second (`now`) or in the previous second
    /// (`before`).
    private var asked: (now: Set<String>, before: Set<String>) = ([], [])
    private var known: (new: Set<Int>, old: Set<Int>) = ([], [])

    private static let generation = 100_000
    /// The maximum number of apps and products that are recorded in `asked` in one second.
    private static let partiesMax = 1_000

    /// Creates a limit of `perSecond` newcomers; 0 means no limit.
    init(perSecond: Int, now: Int64) {
        self.perSecond = perSecond
        bucket = TokenBucket(perSecond: perSecond, burst: perSecond, now: now)
    }

    /// Returns whether to admit a client id of an app or product.
    mutating func admit(_ clientId: String, of party: String, at now: Int64) -> Bool {
        guard perSecond > 0 else { return true }
        guard !knows(clientId) else { return true }
        turn(to: now / 1_000)
        if asked.now.count < Self.partiesMax { asked.now.insert(party) }
        bucket.fill(at: now)
        guard bucket.has(1), !hasHalf(party) else { return false }
        bucket.take(1)
        admitted[party, default: 0] &+= 1
        if known.new.count >= Self.generation { known = ([], known.new) }
        known.new.insert(clientId.hashValue)
        return true
    }

    /// Returns whether a client id has been admitted before.
    func knows(_ clientId: String) -> Bool {
        known.new.contains(clientId.hashValue) || known.old.contains(clientId.hashValue)
    }

    private func hasHalf(_ party: String) -> Bool {
        let hasOthers = asked.now.count > 1 || asked.before.contains { $0 != party }
        return hasOthers && admitted[party] ?? 0 >= max(1, perSecond / 2)
    }

    private mutating func turn(to now: Int64) {
        guard now != second else { return }
        asked = ([], now == second &+ 1 ? asked.now : [])
        admitted.removeAll(keepingCapacity: true)
        second = now
    }
}
