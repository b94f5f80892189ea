import Dispatch
package import Domain
import Storage
import Synchronization

/// A reader that waits for the next entry of the event log.
package struct EventWait: Sendable {
    /// Its owner, such as a key's id, by which readers are counted; nil for webhooks and streams, which aren't counted.
    let owner: String?
    /// The reader.
    let reader: EventReader
    /// The place up to which it has read.
    let cursor: EventCursor
    /// When it stops waiting.
    let end: ContinuousClock.Instant
    /// The catalog's number with which it read, whose change ends the wait; nil to wait on.
    let epoch: Int64?

    /// Describes a reader that waits until a moment at most.
    package init(
        _ reader: EventReader,
        owner: String? = nil,
        after cursor: EventCursor,
        until end: ContinuousClock.Instant,
        epoch: Int64? = nil
    ) {
        (self.reader, self.owner, self.cursor, self.end, self.epoch) = (reader, owner, cursor, end, epoch)
    }
}

/// The readers that wait for entries of the event log: one thread reads and decodes new rows once for all of them, and
/// calls those that want one.
///
/// The thread runs while someone waits. Commits of this process wake it; other processes' entries, and entries that an
/// older transaction held back, are found a little later.
package final class EventWatch: Sendable {
    private struct Waiting {
        let wait: EventWait
        let done: @Sendable () -> Void
    }

    private struct State {
        var waiting: [Waiting] = []
        /// The place up to which new rows were read for all.
        var seen: EventCursor?
        var isRunning = false
    }

    private let state = Mutex(State())
    private let bell = DispatchSemaphore(value: 0)
    private let isRung = Atomic(false)
    private let count = Atomic(0)
    private let store: Store
    private let ending: Ending

    /// How long it waits for a commit of this process before it looks for others, in milliseconds.
    private static let pause = (file: 500, server: 50)
    /// The pause after a failure, in milliseconds.
    private static let pauseAfterFailure = 500

    init(_ store: Store, ending: Ending) { (self.store, self.ending) = (store, ending) }

    /// Notes that a commit has added entries; costs next to nothing if no reader waits.
    func ring() {
        guard count.load(ordering: .acquiring) > 0, !isRung.exchange(true, ordering: .acquiringAndReleasing) else {
            return
        }
        bell.signal()
    }

    /// Returns the number of an owner's waiting readers, and of all.
    package func counts(of owner: String?) -> (own: Int, all: Int) {
        state.withLock { state in
            (state.waiting.count { $0.wait.owner == owner }, state.waiting.count { $0.wait.owner != nil })
        }
    }

    /// Refuses a reader if too many of its owner, or of all, wait; `others` are about to wait too.
    func admit(_ wait: EventWait, beside others: [EventWait], _ limits: Limits) throws(Rejection) {
        let counts = counts(of: wait.owner)
        let own = counts.own + others.count { $0.owner == wait.owner }
        guard own >= limits.eventReadersPerKey || counts.all + others.count >= limits.eventReaders else { return }
        throw Rejection(.tooManyRequests, "Too many readers of this key wait for events.", retryAfter: 1)
    }

    /// Lets a reader wait; `done` is called once, on any thread, when there is an entry for it or its time is over.
    package func add(_ wait: EventWait, done: @escaping @Sendable () -> Void) {
        let mustStart = state.withLock { state in
            state.waiting.append(Waiting(wait: wait, done: done))
            count.store(state.waiting.count, ordering: .releasing)
            // Rows behind its place may have been read already, without it.
            state.seen = state.seen.map { min($0, wait.cursor) } ?? wait.cursor
            defer { state.isRunning = true }
            return !state.isRunning
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

    /// Reads new rows, and calls the readers that have an entry, whose time is over or whose catalog has changed.
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
            // Readers that were added meanwhile may want entries that were read without them.
            state.seen = state.waiting.dropFirst(waiting.count).map(\.wait.cursor).reduce(end.end, min)
        }
        if end.isMore { ring() }
    }

    /// Calls the readers at some places; others are only added behind them meanwhile.
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
