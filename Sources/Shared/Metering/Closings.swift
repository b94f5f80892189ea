/// The last hour's closings of connections that sent too fast, by source address.
///
/// At most `addressesMax` addresses are kept, each with the times of its newest `limit` closings. If there are more
/// addresses, those without a closed connection in the last hour are dropped. If that isn't enough, all addresses are
/// dropped. Times are milliseconds on a clock that is never set back.
package struct Closings: Sendable {
    private let limit: Int
    private let addressesMax: Int
    private var times: [String: [Int64]] = [:]

    /// The time for which a closed connection counts, in milliseconds: one hour.
    package static let window: Int64 = 3_600_000

    /// Makes a record without closings; if `limit` is 0, no address ever reaches the limit.
    package init(limit: Int, addressesMax: Int = 10_000) {
        (self.limit, self.addressesMax) = (limit, addressesMax)
    }

    /// Records a closed connection, and returns whether its address has reached the limit.
    package mutating func note(_ address: String, at now: Int64) -> Bool {
        guard limit > 0 else { return false }
        if times[address] == nil, times.count >= addressesMax { makeRoom(at: now) }
        var own = (times[address] ?? []).filter { now &- $0 < Self.window }
        own.append(now)
        if own.count > limit { own.removeFirst(own.count &- limit) }
        times[address] = own
        return own.count >= limit
    }

    private mutating func makeRoom(at now: Int64) {
        times = times.filter { now &- ($0.value.last ?? .min / 2) < Self.window }
        if times.count >= addressesMax { times.removeAll() }
    }
}
