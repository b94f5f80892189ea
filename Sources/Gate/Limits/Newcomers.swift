import Metering

/// Bounds the newcomers of all source addresses together, this machine's included: products, and terminals without a
/// live session, that the gate has not let in before.
///
/// One app or product has at most half of them while others ask. Remembers the client ids that it let in: the newest
/// 100,000 at least, as numbers.
struct Newcomers {
    private let perSecond: Int
    private var bucket: TokenBucket
    private var second: Int64 = 0
    /// Newcomers of each app or product in this second, and who asked in it and in the one before.
    private var admitted: [String: Int] = [:]
    private var asked: (now: Set<String>, before: Set<String>) = ([], [])
    private var known: (new: Set<Int>, old: Set<Int>) = ([], [])

    private static let generation = 100_000
    /// Apps and products that are told apart in one second.
    private static let partiesMax = 1_000

    /// A limit of 0 admits all.
    init(perSecond: Int, now: Int64) {
        self.perSecond = perSecond
        bucket = TokenBucket(perSecond: perSecond, burst: perSecond, now: now)
    }

    /// Whether to admit a client id of an app or product.
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

    /// Whether a client id was let in before.
    func knows(_ clientId: String) -> Bool {
        known.new.contains(clientId.hashValue) || known.old.contains(clientId.hashValue)
    }

    private func hasHalf(_ party: String) -> Bool {
        let hasOthers =
            asked.now.count > 1 || asked.before.contains { $0 != party }
        return hasOthers && admitted[party] ?? 0 >= max(1, perSecond / 2)
    }

    private mutating func turn(to now: Int64) {
        guard now != second else { return }
        asked = ([], now == second &+ 1 ? asked.now : [])
        admitted.removeAll(keepingCapacity: true)
        second = now
    }
}
