import Metering

/// The counts of one client, kept beyond the end of its connection, so that reconnecting does not reset them.
///
/// Client ids with a shared secret, of products and of terminals without a session, have a tally for each source
/// address: a stranger who uses the id can't use up its owner's allowance.
final class Tally: Kept {
    let key: String
    var meter: Meter
    /// The count of SUBSCRIBE and UNSUBSCRIBE filters.
    ///
    /// They have the same allowance as messages but are counted separately: an app that opens with thirty devices
    /// subscribes to each device at once and sends three requests about each.
    var filters: Meter
    /// Its share of its source address's budget; used for terminals and products only.
    var share: AddressBudget.Sender
    /// The client's reports that are not known to be processed.
    var reports = Backlog.Sender()
    /// The client's requests that are not known to be processed, by the worker's client id.
    var requests: [String: Backlog.Sender] = [:]
    /// The hashes of the filters that it holds; used for terminals only.
    private var held: [Int] = []

    init(key: String, meter: Meter, now: Int64) {
        self.key = key
        self.meter = meter
        filters = meter
        share = AddressBudget.Sender(now: now)
    }

    func isAsNew(at now: Int64) -> Bool { meter.isAsNew(at: now) && filters.isAsNew(at: now) && share.isAsNew(at: now) }

    /// Returns the key under which a connection is counted.
    static func key(of pass: Admission.Pass, clientId: String, source: String?) -> String {
        pass.isSecretShared ? "\(clientId) \(source ?? "")" : clientId
    }

    /// Whether there is room for a subscription; one that the client already holds always has room.
    ///
    /// For a session that the broker kept longer than the gate remembers, the broker's own count is the limit. It
    /// counts the places that the broker has made, which it reuses and never removes: a client that never held more
    /// than the limit never exceeds it, and any other exceeds it by one at most.
    func hasRoom(for filter: Bytes, limit: Int, brokerCount: Int) -> Bool {
        if brokerCount == 0 { held.removeAll(keepingCapacity: true) }
        guard limit > 0, !held.contains(Self.number(filter)) else { return true }
        return held.count < limit && brokerCount <= limit
    }

    /// Notes that the client holds the filter from now on.
    func hold(_ filter: Bytes, limit: Int) {
        let number = Self.number(filter)
        if limit > 0, held.count < limit, !held.contains(number) { held.append(number) }
    }

    /// Notes that the client no longer holds the filter.
    func drop(_ filter: Bytes) {
        let number = Self.number(filter)
        held.removeAll { $0 == number }
    }

    /// Hashes a filter with the process's random seed, so that a sender can't construct two filters with the same hash.
    private static func number(_ filter: Bytes) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(filter))
        return hasher.finalize()
    }
}

/// A tally that is kept while no connection has it.
protocol Kept {
    var key: String { get }

    /// Whether a new tally would decide the same from now on.
    func isAsNew(at now: Int64) -> Bool
}

/// The tallies of clients or addresses without a connection, kept until they equal new ones.
///
/// Tallies with full buckets are dropped, so few stay longer than half a minute. Holds at most `limit`, and forgets all
/// if more are added in that time: the messages that then get through are few, compared with the broker's work for all
/// these connections.
struct Tallies<Value: Kept> {
    private let limit: Int
    private var kept: [String: Value] = [:]
    private var sweptAt: Int64 = 0

    init(limit: Int = 50_000) { self.limit = limit }

    var count: Int { kept.count }

    mutating func keep(_ tally: Value, at now: Int64) {
        if now &- sweptAt >= 10_000 || kept.count >= limit {
            sweptAt = now
            kept = kept.filter { !$0.value.isAsNew(at: now) }
        }
        if kept.count >= limit { kept.removeAll() }
        if !tally.isAsNew(at: now) { kept[tally.key] = tally }
    }

    mutating func take(_ key: String) -> Value? { kept.removeValue(forKey: key) }
}
