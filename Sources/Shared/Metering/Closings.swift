/// The connections that were closed for sending too fast within an hour, counted by source address.
///
/// Holds the newest `limit` times of at most `addressesMax` addresses; beyond that, it drops addresses without a
/// closing in the last hour, or else all. Times are milliseconds on a clock that is never set back.
package struct Closings: Sendable {
    private let limit: Int
    private let addressesMax: Int
    private var times: [String: [Int64]] = [:]

    /// The time for which a closing counts: an hour.
    package static let window: Int64 = 3_600_000

    /// Begins without closings; with a limit of 0 no address is ever refused.
    package init(limit: Int, addressesMax: Int = 10_000) {
        self.limit = limit
        self.addressesMax = addressesMax
    }

    /// Notes that a connection of the address was closed; true if too many were within the hour.
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
