import Dispatch
package import Domain
import Storage
import Synchronization

/// A reader that waits for the next entry of the event log.
package struct EventWait: Sendable {
    /// The id of the API key that the reader uses.
    ///
    /// The number of waiting readers of a key is limited. Webhooks and streams aren't counted; for them, the id is nil.
    let owner: String?
    /// The reader that waits.
    let reader: EventReader
    /// The cursor up to which the reader has read.
    let cursor: EventCursor
    /// The time at which the reader stops waiting.
    let end: ContinuousClock.Instant
    /// The catalog's epoch at the reader's last read.
    ///
    /// The wait ends when the epoch changes. If this property is nil, the wait continues despite a change.
    let epoch: Int64?

    /// Describes a reader that waits at most until `end`.
    package init(
        _ reader: EventReader,
        owner: String? = nil,
        after cursor: EventCursor,
        until end: ContinuousClock.Instant,
        epoch: Int64? = nil
    ) {
        self.reader = reader
        self.owner = owner
        self.cursor = cursor
        self.end = end
        self.epoch = epoch
    }
}

/// The readers that wait for entries of the event log.
///
/// While readers wait, one thread reads and decodes new rows for all readers. The thread calls each reader for which
/// there is an entry. Commits of this process wake the thread. Regular checks find the entries of other processes. They
/// also find entries that become readable when an older transaction ends.
package final class EventWatch: Sendable {
    private struct Waiting {
        let wait: EventWait
        let done: @Sendable () -> Void
    }

    private struct State {
        var waiting: [Waiting] = []
        /// The cursor up to which new rows were read for all readers.
        var seen: EventCursor?
        var isRunning = false
    }

    private let state = Mutex(State())
    private let bell = DispatchSemaphore(value: 0)
    private let isRung = Atomic(false)
    private let count = Atomic(0)
    private let store: Store
    private let ending: Ending

    /// How many milliseconds to wait before searching for entries of other processes.
    private static let pause = (file: 500, server: 50)
    /// The pause after a failure, in milliseconds.
    private static let pauseAfterFailure = 500

    init(_ store: Store, ending: Ending) { (self.store, self.ending) = (store, ending) }

    /// Records that a commit has added entries.
    func ring() {
        guard count.load(ordering: .acquiring) > 0, !isRung.exchange(true, ordering: .acquiringAndReleasing) else {
            return
        }
        bell.signal()
    }

    /// Returns the number of waiting readers of one owner, and of all owners.
    package func counts(of owner: String?) -> (own: Int, all: Int) {
        state.withLock { state in
            (state.waiting.count { $0.wait.owner == owner }, state.waiting.count { $0.wait.owner != nil })
        }
    }

    /// Refuses a reader if its owner, or all owners together, have too many readers.
    func admit(_ wait: EventWait, beside others: [EventWait], _ limits: Limits) throws(Rejection) {
        let counts = counts(of: wait.owner)
        let own = counts.own + others.count { $0.owner == wait.owner }
        guard own >= limits.eventReadersPerKey || counts.all + others.count >= limits.eventReaders else { return }
        throw Rejection(.tooManyRequests, "Too many readers with this key are waiting for events.", retryAfter: 1)
    }

    /// Adds a waiting reader, and calls `done` once, on any thread, when the wait ends.
    ///
    /// The wait ends because of an entry for the reader, a new `epoch`, the time limit or the process's end.
    package func add(_ wait: EventWait, done: @escaping @Sendable () -> Void) {
        let mustStart = state.withLock { state in
            state.waiting.append(Waiting(wait: wait, done: done))
            count.store(state.waiting.count, ordering: .releasing)
            // The thread must read all rows after this reader's cursor, even rows that it has read for other readers.
            state.seen = state.seen.map { min($0, wait.cursor) } ?? wait.cursor
            return !exchange(&state.isRunning, with: true)
        }
        if mustStart { PlainThread.detach { self.run() } }
        ring()
    }

    private func run() {
        while true {
            isRung.store(false, ordering: .releasing)
            let hasFailed = (try? look()) == nil
            let next = state.withLock { state -> ContinuousClock.Instant? in
                EventMetrics.waits(state.waiting.count)
                if state.waiting.isEmpty { (state.isRunning, state.seen) = (false, nil) }
                return state.waiting.map(\.wait.end).min()
            }
            guard let next else { return }
            if hasFailed { PlainThread.pause(.milliseconds(Self.pauseAfterFailure)) }
            let pause = store.isFile ? Self.pause.file : Self.pause.server
            let left = max(0, Int((next - .now) / .milliseconds(1)) + 1)
            _ = bell.wait(timeout: .now() + .milliseconds(min(pause, left)))
        }
    }

    /// Reads new rows, and calls each reader whose wait is over.
    private func look() throws {
        let (start, waiting) = state.withLock { ($0.seen, $0.waiting.map(\.wait)) }
        guard let seen = start else { return }
        let now = ContinuousClock.now
        var called = Set(waiting.indices.filter { waiting[$0].end <= now || ending.hasBegun })
        let wantsStatuses = waiting.contains { $0.reader.filter.wantsStatuses }
        let followsCatalog = waiting.contains { $0.epoch != nil }
        defer { call(called) }
        let end = try store.read { tx in
            let epoch = followsCatalog ? try tx.meta.catalogEpoch() : nil
            called.formUnion(waiting.indices.filter { waiting[$0].epoch.map { $0 != epoch } ?? false })
            return try tx.eventLog.read(after: seen, withBulk: wantsStatuses) { event, id in
                for index in waiting.indices where !called.contains(index) {
                    if id > waiting[index].cursor, waiting[index].reader.accepts(event) { called.insert(index) }
                }
                return called.count < waiting.count
            }
        }
        state.withLock { state in
            // A reader that was added during the read may want entries that the read has already passed.
            state.seen = state.waiting.dropFirst(waiting.count).map(\.wait.cursor).reduce(end.end, min)
        }
        if end.isMore { ring() }
    }

    /// Calls the readers at the given indices, and removes these readers.
    ///
    /// The indices are still valid, because no other method removes readers.
    private func call(_ places: Set<Int>) {
        guard !places.isEmpty else { return }
        let called = state.withLock { state in
            let called = places.sorted().map { state.waiting[$0].done }
            state.waiting = state.waiting.enumerated().filter { !places.contains($0.offset) }.map(\.element)
            count.store(state.waiting.count, ordering: .releasing)
            return called
        }
        for done in called { done() }
    }
}
