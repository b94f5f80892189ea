import CoreMetrics
import Synchronization

/// The places for a listener's connections, limited for each source address and in total.
///
/// Only a connection that isn't busy with an answer can be replaced. If an address has no place left, its oldest
/// connection is replaced. If the listener has no place left, the oldest of all connections is replaced. A client that
/// sends only half a header loses its place when another client needs it. If all connections of the full address, or of
/// the full listener, are busy, the new connection is refused.
final class ConnectionPlaces: Sendable {
    /// The reason why a connection lost its place or got no place, used as the metric's label.
    enum Reason: String, CaseIterable {
        /// The address reached its limit.
        case address
        /// The listener reached its limit.
        case total
        /// The client didn't send a request or read an answer in time.
        case slow
    }

    private struct Place {
        let address: String
        let close: @Sendable () -> Void
        /// Whether a complete request is being answered.
        var isBusy = false
    }

    private struct State {
        var places: [Int: Place] = [:]
        var counts: [String: Int] = [:]
        var nextID = 0
        /// The number of connections that have no place, but stay open until their requests are refused.
        var crowd = 0
    }

    private let state = Mutex(State())
    private let limits: ListenerLimits
    private let open: Meter
    private let closed: [Reason: Counter]

    init(_ listener: String, _ limits: ListenerLimits) {
        self.limits = limits
        let label = ("listener", listener)
        open = Meter(label: "lamplighter_http_connections", dimensions: [label])
        closed = Dictionary(
            uniqueKeysWithValues: Reason.allCases.map { reason in
                let labels = [label, ("reason", reason.rawValue)]
                return (reason, Counter(label: "lamplighter_http_closed_total", dimensions: labels))
            }
        )
    }

    /// Takes a place, or returns nil if no place is free.
    ///
    /// `close` is called when another connection takes the place.
    func enter(_ address: String, close: @escaping @Sendable () -> Void) -> Int? {
        let (id, displaced, reason) = state.withLock { state -> (Int?, Place?, Reason?) in
            let reason = shortage(state, address)
            var displaced: Place?
            if let reason {
                guard let id = Self.oldestWaiting(state, reason == .address ? address : nil) else {
                    return (nil, nil, reason)
                }
                displaced = Self.remove(id, &state)
            }
            state.nextID += 1
            state.places[state.nextID] = Place(address: address, close: close)
            state.counts[address, default: 0] += 1
            return (state.nextID, displaced, reason)
        }
        if let reason { count(reason) }
        displaced?.close()
        tell()
        return id
    }

    /// Admits a connection without a place, or returns false if there are too many such connections.
    func enterCrowd() -> Bool {
        state.withLock { state in
            guard state.crowd < ListenerLimits.crowd else { return false }
            state.crowd += 1
            return true
        }
    }

    /// Records that a connection without a place has ended.
    func leaveCrowd() { state.withLock { $0.crowd -= 1 } }

    /// Records whether a complete request of a connection is being answered.
    func isBusy(_ id: Int, _ isBusy: Bool) {
        state.withLock { $0.places[id]?.isBusy = isBusy }
    }

    /// Frees a place, unless another connection has already taken it.
    func leave(_ id: Int) {
        _ = state.withLock { Self.remove(id, &$0) }
        tell()
    }

    /// Closes all connections.
    func closeAll() {
        let all = state.withLock { Array($0.places.values) }
        for place in all { place.close() }
    }

    /// Counts a closed connection.
    func count(_ reason: Reason) { closed[reason]?.increment() }

    /// The number of connections that have a place.
    var total: Int { state.withLock { $0.places.count } }

    private func tell() { open.set(Int64(total)) }

    private func shortage(_ state: borrowing State, _ address: String) -> Reason? {
        if state.counts[address, default: 0] >= limits.perAddress { return .address }
        return state.places.count >= limits.connections ? .total : nil
    }

    private static func oldestWaiting(_ state: borrowing State, _ address: String?) -> Int? {
        var oldest: Int?
        for (id, place) in state.places where !place.isBusy && (address == nil || place.address == address) {
            oldest = min(oldest ?? id, id)
        }
        return oldest
    }

    private static func remove(_ id: Int, _ state: inout State) -> Place? {
        guard let place = state.places.removeValue(forKey: id) else { return nil }
        let left = (state.counts[place.address] ?? 1) - 1
        state.counts[place.address] = left > 0 ? left : nil
        return place
    }
}
