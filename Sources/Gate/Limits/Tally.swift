import Metering

/// The counts of one client, which are not reset when the client reconnects.
///
/// A product, or a terminal without a session, connects with a shared secret. The client id of such a client has a
/// separate tally for each source address. A stranger who uses another client's id therefore can't use up that client's
/// allowance.
final class Tally: Kept {
    let key: String
    var meter: Meter
    /// The count of SUBSCRIBE and UNSUBSCRIBE filters.
    ///
    /// Filters have the same allowance as messages, but are counted separately. An app with thirty devices subscribes
    /// to all their topics when it opens. The app also sends three requests about each device at that time.
    var filters: Meter
    /// The client's share of its source address's budget, used only for terminals and products.
    var share: AddressBudget.Sender
    /// The client's reports that the status worker might not have processed yet.
    var reports = Backlog.Sender()
    /// The client's requests that a worker might not have processed yet, by the worker's client id.
    var requests: [String: Backlog.Sender] = [:]
    /// The hashes of a terminal's subscribed filters.
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
        if case .link(let sessionId) = pass.principal { return sessionId }
        return pass.isSecretShared ? "\(clientId) \(source ?? "")" : clientId
    }

    /// Returns whether the client already has the filter or may have one more.
    ///
    /// The broker's own count is checked too, because the broker can remember a session that the gate has forgotten. An
    /// ended subscription leaves a free slot, but the broker still counts that slot. The function therefore allows a
    /// new filter even if the broker's count equals the limit. As a result, a client whose filters the gate has
    /// forgotten can exceed the limit by one.
    func hasRoom(for filter: Bytes, limit: Int, brokerCount: Int) -> Bool {
        if brokerCount == 0 { held.removeAll(keepingCapacity: true) }
        guard limit > 0, !held.contains(Self.number(filter)) else { return true }
        return held.count < limit && brokerCount <= limit
    }

    /// Records that the client has subscribed to a filter.
    func hold(_ filter: Bytes, limit: Int) {
        let number = Self.number(filter)
        if limit > 0, held.count < limit, !held.contains(number) { held.append(number) }
    }

    /// Records that the client has unsubscribed from a filter.
    func drop(_ filter: Bytes) {
        let number = Self.number(filter)
        held.removeAll { $0 == number }
    }

    /// Returns a filter's hash with a random seed, so that senders can't construct equal hashes.
    private static func number(_ filter: Bytes) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(filter))
        return hasher.finalize()
    }
}

/// A tally that is kept while no connection uses it.
protocol Kept {
    var key: String { get }

    /// Returns whether a new tally would make the same decisions as this tally from now on.
    func isAsNew(at now: Int64) -> Bool
}

/// The tallies of clients or addresses without a connection, kept until they equal an unused tally.
///
/// A tally is dropped once it makes the same decisions as a new one. Few tallies stay longer than half a minute. If
/// there are more than `limit` tallies, all are forgotten. An attacker gains little by this, because each tally costs a
/// connection.
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
