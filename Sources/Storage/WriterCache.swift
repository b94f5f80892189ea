import Domain
import Synchronization

/// A cache of the statuses that the writer last read or wrote, and of the product catalog's version number.
///
/// When the store's only writer changes such data in the database, the writer also changes the cache. The cache is
/// cleared after another process has written or a transaction has failed. The cache has two generations of limited
/// size. When the younger generation is full, the older generation is dropped. The younger generation then becomes the
/// older one.
final class WriterCache: Sendable {
    /// The maximum number of statuses in one generation, where each status takes a few hundred bytes.
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

    /// Returns whether another connection may have written, and clears the cache in this case.
    ///
    /// `dataVersion` is the number that SQLite changes when another connection writes.
    func begin(dataVersion: Int64) -> Bool {
        state.withLock { state in
            guard state.dataVersion != dataVersion else { return false }
            state.clear()
            state.dataVersion = dataVersion
            return true
        }
    }

    /// Calls `body` for each device in `dids` with a cached status, and returns the other devices' indexes.
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

    /// The product catalog's version number, or nil if the number isn't cached.
    var catalogEpoch: Int64? {
        get { state.withLock { $0.catalogEpoch } }
        set { state.withLock { $0.catalogEpoch = newValue } }
    }

    func clear() { state.withLock { $0.clear() } }

    /// Clears the cache, so that the next batch reads everything from the database.
    func beginAnew() { state.withLock { $0 = State() } }
}
