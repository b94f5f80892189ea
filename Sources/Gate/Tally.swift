import Metering

/// What is counted of one client: by connection, and beyond its end, so that a new one doesn't begin anew.
///
/// Of client ids whose secret many know, those of products and of terminals without a session, each source
/// address has one of its own: nobody uses up what is another's.
final class Tally {
    let key: String
    var meter: Meter
    /// Counts filters of SUBSCRIBE and UNSUBSCRIBE by the same allowance, apart from messages: an app that opens with
    /// thirty devices subscribes to each and asks three things about it at once.
    var filters: Meter
    /// Its share of its source address's budget; of interest for terminals and products only.
    var share: AddressBudget.Sender
    /// What of its reports is not known to be done.
    var reports = Backlog.Sender()
    /// The filters that it holds, each as a number; of interest for terminals only.
    private var held: [Int] = []

    init(key: String, meter: Meter, now: Int64) {
        self.key = key
        self.meter = meter
        filters = meter
        share = AddressBudget.Sender(now: now)
    }

    /// Whether a new tally would say the same from now on.
    func isAsNew(at now: Int64) -> Bool {
        meter.isAsNew(at: now) && filters.isAsNew(at: now) && share.isAsNew(at: now)
    }

    static func key(_ pass: Admission.Pass, _ clientId: String, _ source: String?) -> String {
        pass.isSecretShared ? "\(clientId) \(source ?? "")" : clientId
    }

    /// Whether another subscription has room: one that is held already always has.
    ///
    /// Of a session that the broker kept longer than the gate remembers, the broker's own count is the bound. It is
    /// that of the places it has made, which it gives out again and never takes back: so many are never passed by
    /// one who never held more, and by no more than one place by one who did.
    func hasRoom(for filter: Bytes, limit: Int, brokerCount: Int) -> Bool {
        if brokerCount == 0 { held.removeAll(keepingCapacity: true) }
        guard limit > 0, !held.contains(Self.number(filter)) else { return true }
        return held.count < limit && brokerCount <= limit
    }

    /// Takes in that the filter is held from now on.
    func hold(_ filter: Bytes, limit: Int) {
        let number = Self.number(filter)
        if limit > 0, held.count < limit, !held.contains(number) { held.append(number) }
    }

    /// Takes in that it is no longer held.
    func drop(_ filter: Bytes) {
        let number = Self.number(filter)
        held.removeAll { $0 == number }
    }

    /// Seeded anew by each process, so that nobody finds two filters of one number.
    private static func number(_ filter: Bytes) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(filter))
        return hasher.finalize()
    }
}

/// The tallies of those who are not connected, until they are as new.
///
/// Full buckets are worth nothing, so few stay longer than half a minute. Holds at most `limit`; when more come
/// in so short a time, all are forgotten: what they would have been refused is little, against the broker's work
/// with as many connections.
struct Tallies {
    private let limit: Int
    private var kept: [String: Tally] = [:]
    private var sweptAt: Int64 = 0

    init(limit: Int = 50_000) {
        self.limit = limit
    }

    mutating func keep(_ tally: Tally, at now: Int64) {
        if now &- sweptAt >= 10_000 || kept.count >= limit { sweep(at: now) }
        if kept.count >= limit { kept.removeAll() }
        if !tally.isAsNew(at: now) { kept[tally.key] = tally }
    }

    mutating func take(_ key: String) -> Tally? {
        kept.removeValue(forKey: key)
    }

    private mutating func sweep(at now: Int64) {
        sweptAt = now
        kept = kept.filter { !$0.value.isAsNew(at: now) }
    }
}
