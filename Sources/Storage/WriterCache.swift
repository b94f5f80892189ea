import Domain
import Synchronization

/// The rows that the writer has just read or written, as the next batch would read them: statuses, and the
/// number of the catalog.
///
/// Everything that the store's one writer does to them passes through here; when another process
/// has written, or a transaction failed, all is forgotten. Bounded: of two generations the older one
/// goes when the younger is full.
final class WriterCache: Sendable {
    /// Statuses of one generation at most; a few hundred bytes each.
    private static let generationMax = 8192

    private struct State {
        var young: [DeviceID: StatusRecord] = [:]
        var old: [DeviceID: StatusRecord] = [:]
        var catalogEpoch: Int64?
        var dataVersion: Int64 = -1

        mutating func find(_ did: DeviceID) -> StatusRecord? {
            if let record = young[did] { return record }
            guard let record = old[did] else { return nil }
            put(record)
            return record
        }

        mutating func put(_ record: StatusRecord) {
            if young.count >= generationMax {
                old = young
                young = [:]
            }
            young[record.did] = record
        }

        mutating func clear() {
            young = [:]
            old = [:]
            catalogEpoch = nil
        }
    }

    private let state = Mutex(State())

    /// Forgets everything if another connection has written, and says so; `dataVersion` is SQLite's.
    func begin(dataVersion: Int64) -> Bool {
        state.withLock { state in
            guard state.dataVersion != dataVersion else { return false }
            state.clear()
            state.dataVersion = dataVersion
            return true
        }
    }

    /// Hands over the cached rows with their indexes, and returns the indexes of the others.
    ///
    /// `body` must not use the cache.
    func find(_ dids: [DeviceID], _ body: (Int, StatusRecord) -> Void) -> [Int] {
        state.withLock { state in
            dids.indices.filter { place in
                guard let record = state.find(dids[place]) else { return true }
                body(place, record)
                return false
            }
        }
    }

    func put(_ records: some Sequence<StatusRecord>) {
        state.withLock { state in
            for record in records { state.put(record) }
        }
    }

    func remove(_ did: DeviceID) {
        state.withLock { state in
            state.young[did] = nil
            state.old[did] = nil
        }
    }

    /// The number of the catalog, or nil where it has to be read.
    var catalogEpoch: Int64? {
        get { state.withLock { $0.catalogEpoch } }
        set { state.withLock { $0.catalogEpoch = newValue } }
    }

    func clear() { state.withLock { $0.clear() } }

    /// Forgets everything, and whether another connection has written, too.
    func beginAnew() { state.withLock { $0 = State() } }
}
