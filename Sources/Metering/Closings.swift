/// Counts, by source address, the connections that were closed for sending too fast within an hour.
///
/// Holds the newest `limit` times of at most `addressesMax` addresses; when more come, those without one in the
/// last hour go, and failing that all begin anew. Times are milliseconds on a clock that is never set back.
package struct Closings: Sendable {
    private let limit: Int
    private let addressesMax: Int
    private var times: [String: [Int64]] = [:]

    /// The time in which they count: an hour.
    package static let window: Int64 = 3_600_000

    /// Begins with none; a limit of 0 never finds an address to be refused.
    package init(limit: Int, addressesMax: Int = 10_000) {
        self.limit = limit
        self.addressesMax = addressesMax
    }

    /// Takes in that a connection of the address was closed; true where there were too many of late.
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
