import CoreMetrics
import Synchronization

/// The holders of a listener's places, by source address.
///
/// Where an address has used up its places, or the listener has none left, the newest connection gets that of
/// the oldest whose request is not complete: a client that sends half a header holds a place only until one
/// comes that sends a whole one. Only where all are busy with answers the newest is turned away.
final class ConnectionPlaces: Sendable {
    /// Why a connection lost its place, or got none; the label of the metric.
    enum Reason: String, CaseIterable {
        /// The address had as many as it may have.
        case address
        /// The listener had as many as it takes.
        case total
        /// A header, a body or the next request did not come in time, or an answer was not taken.
        case slow
    }

    private struct Place {
        let address: String
        let close: @Sendable () -> Void
        /// Whether a whole request is being answered.
        var isBusy = false
    }

    private struct State {
        var places: [Int: Place] = [:]
        var counts: [String: Int] = [:]
        var nextID = 0
        /// Connections without a place that are still to be told so.
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

    /// Takes a place for a connection; nil where it has to go.
    ///
    /// `close` ends it when another gets the place.
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

    /// Lets a connection without a place stay for an answer; false where too many do already.
    func enterCrowd() -> Bool {
        state.withLock { state in
            guard state.crowd < ListenerLimits.crowd else { return false }
            state.crowd += 1
            return true
        }
    }

    /// Notes that such a connection has ended.
    func leaveCrowd() { state.withLock { $0.crowd -= 1 } }

    /// Notes whether a whole request of the connection is being answered.
    func isBusy(_ id: Int, _ isBusy: Bool) {
        state.withLock { $0.places[id]?.isBusy = isBusy }
    }

    /// Gives a place back; nothing where it was given away already.
    func leave(_ id: Int) {
        _ = state.withLock { Self.remove(id, &$0) }
        tell()
    }

    /// Closes all connections.
    func closeAll() {
        let all = state.withLock { Array($0.places.values) }
        for place in all { place.close() }
    }

    /// Counts a connection that was closed.
    func count(_ reason: Reason) { closed[reason]?.increment() }

    /// How many connections there are.
    var total: Int { state.withLock { $0.places.count } }

    private func tell() { open.set(Int64(total)) }

    private func shortage(_ state: borrowing State, _ address: String) -> Reason? {
        if state.counts[address, default: 0] >= limits.perAddress { return .address }
        return state.places.count >= limits.connections ? .total : nil
    }

    private static func oldestWaiting(_ state: borrowing State, _ address: String?) -> Int? {
        var oldest: Int?
        for (id, place) in state.places
        where !place.isBusy && (address == nil || place.address == address) {
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
