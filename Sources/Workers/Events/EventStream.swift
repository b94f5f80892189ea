import DequeModule
import Domain
import Storage
import Synchronization
package import Wire

/// A stream of the event log for an API key, at the client's pace.
///
/// Each read checks whether the key is still valid. If the stream has a subscription, each read also checks the
/// subscription. A wait ends early if the key ends or the subscription changes.
package final class EventStream: Sendable {
    private enum Look {
        case part(EventPart)
        case wait(EventWait)
        case more
        case failed
    }

    /// The end of the stream, with the reason that is sent to the client.
    private struct End: Error {
        let reason: String
    }

    private struct State {
        /// The position up to which the log was read for the client.
        var cursor: EventCursor
        /// The subscription's cursor at the last read; nil if the stream has no subscription.
        var stored: EventCursor?
        /// When the stream last asked the log to keep statuses, or nil if the stream doesn't have to ask.
        var keptAt: ContinuousClock.Instant?
        var hasStopped = false
        var waiting: CheckedContinuation<Void, Never>?

        /// Records the subscription's cursor, and moves the stream to that cursor if necessary.
        ///
        /// The stream must move if the cursor was moved back, or if the cursor is ahead of the stream.
        mutating func follow(_ row: EventCursor) {
            if let stored, row < stored { cursor = row }
            (stored, cursor) = (row, max(cursor, row))
        }
    }

    private let environment: Environment
    private let threads: StreamThreads
    private let token: String
    private let filter: EventFilter
    private let subscription: SubscriptionID?
    /// The unique id of this stream; the store records the id of each subscription's newest stream.
    private let number = TraceID.make().text
    private let state: Mutex<State>

    private static let pageBytes = 32 << 10
    /// The maximum number of entries on a page.
    private static let pageMax = 1_000
    /// How long `next` waits for entries before it returns `silence`.
    private static let silenceMax = Duration.seconds(15)
    /// The interval at which the stream again asks the log to keep statuses.
    private static let keeping = Duration.seconds(60)
    /// The pause after a failure of the store.
    private static let pause = Duration.milliseconds(500)

    /// Opens a stream for a request, blocking the thread, or throws a `Rejection`.
    package init(_ environment: Environment, _ threads: StreamThreads, for request: EventStreamRequest) throws {
        let (now, token, fields, lastID) = (environment.clock.now, request.token, request.fields, request.lastID)
        let (key, filter, row, place) = try environment.store.read(at: now) {
            tx -> (APIKey, EventFilter, EventSubscription?, EventCursor) in
            guard let key = try tx.keys.find(token: token), let app = try tx.apps.find(key.app) else {
                throw Rejection(.invalidToken, "The key is not valid here.", field: "token")
            }
            let refusal = key.refusal(at: now) ?? key.refusal(of: "events", "read", isReading: true)
            if let refusal { throw refusal }
            let place = try fields.eventsAfter()
            guard !fields.namesSubscription else {
                try fields.refuseBesideSubscription()
                let row = try tx.subscription(fields.subscriptionID(), of: app, field: "subscriptionId")
                return (key, row.filter, row, max(row.cursor, lastID ?? .start))
            }
            let filter = try fields.eventFilter { app.products.contains($0) }
            return (key, filter, nil, try lastID ?? tx.eventLog.cursor(at: place ?? .now))
        }
        let keepsStatuses = row == nil && filter.wantsStatuses
        (self.environment, self.threads, self.token, self.filter) = (environment, threads, token, filter)
        subscription = row?.id
        state = Mutex(State(cursor: place, stored: row?.cursor, keptAt: keepsStatuses ? .now : nil))
        try environment.store.batch(at: now) { [number] tx in
            try tx.keys.use(token, of: key)
            if keepsStatuses { try tx.eventLog.keepStatuses() }
            if let row { try tx.eventSubscriptions.open(row.id, by: number) }
        }
    }

    /// Ends the stream: `next` returns immediately.
    package func stop() {
        state.withLock { $0.hasStopped = true }
        wake()
    }

    /// Waits, and returns the next entries, `silence` or `end`.
    ///
    /// Only one task at a time may call this method.
    package func next() async -> EventPart {
        let silence = ContinuousClock.now + Self.silenceMax
        repeat {
            guard !state.withLock(\.hasStopped), !environment.ending.hasBegun else { return .end("stopping") }
            switch await threads.run({ (try? self.look(until: silence)) ?? .failed }) {
            case .part(let part): return part
            case .wait(let wait): await listen(wait)
            case .more: break
            case .failed: try? await Task.sleep(for: Self.pause)
            }
        } while ContinuousClock.now < silence
        return .silence
    }

    private func listen(_ wait: EventWait) async {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                if !state.hasStopped { state.waiting = continuation }
                return !state.hasStopped
            }
            guard mustWait else { return continuation.resume() }
            environment.eventWatch.add(wait) { self.wake() }
        }
    }

    private func wake() {
        let waiting = state.withLock { exchange(&$0.waiting, with: nil) }
        waiting?.resume()
    }

    // MARK: On a thread

    private func look(until end: ContinuousClock.Instant) throws -> Look {
        let now = environment.clock.now
        if let keptAt = state.withLock(\.keptAt), keptAt + Self.keeping < .now {
            state.withLock { $0.keptAt = .now }
            // If the write fails, the stream can still be read.
            try? environment.store.batch(at: now) { try $0.eventLog.keepStatuses() }
        }
        do {
            let (page, wait) = try environment.store.read(at: now) { tx in
                let (reader, row) = try reader(at: now, in: tx)
                let cursor = state.withLock { state in
                    if let row { state.follow(row.cursor) }
                    return state.cursor
                }
                let page = try reader.read(after: cursor, limit: Self.pageMax, bytesMax: Self.pageBytes, in: tx)
                return (page, EventWait(reader, after: page.cursor, until: end, epoch: try tx.meta.catalogEpoch()))
            }
            // The cursor moves only now, because a read can fail or be repeated.
            state.withLock { $0.cursor = page.cursor }
            guard page.events.isEmpty else {
                let types = page.types.map(\.rawValue)
                return .part(.events(zip(page.events, types).map { (id: $0.id.text, type: $1, json: $0.json) }))
            }
            return page.isMore ? .more : .wait(wait)
        } catch let end as End {
            return .part(.end(end.reason))
        }
    }

    /// Returns the reader of the next page, and the stream's subscription, if any.
    ///
    /// - Throws: `End`, or an error of the store.
    private func reader(at now: Instant, in tx: Transaction) throws -> (EventReader, EventSubscription?) {
        let key = try tx.keys.find(token: token)
        guard let key, key.refusal(at: now) == nil, let app = try tx.apps.find(key.app) else {
            throw End(reason: key?.refusal(at: now)?.reason ?? "replaced")
        }
        var reader = EventReader(app: app, filter: filter)
        guard let subscription else { return (reader, nil) }
        guard let row = try tx.eventSubscriptions.find(subscription) else { throw End(reason: "unsubscribed") }
        guard try tx.eventSubscriptions.reader(of: subscription) == number else { throw End(reason: "takenOver") }
        reader.filter = row.filter
        return (reader, row)
    }

    /// Returns whether the key or the subscription ended, or a newer stream took over.
    package func hasEnded() async -> Bool {
        await threads.run { [self] in
            let now = environment.clock.now
            do {
                _ = try environment.store.read(at: now) { try reader(at: now, in: $0) }
                return false
            } catch {
                return error is End
            }
        }
    }
}

/// The threads that read for all streams, and run only while needed.
package final class StreamThreads: Sendable {
    private struct State {
        var waiting: Deque<@Sendable () -> Void> = []
        var running = 0
    }

    private let state = Mutex(State())

    /// The maximum number of threads.
    ///
    /// The number is small so that streams don't occupy all of the store's connections for reading, which requests
    /// need too.
    private static let streamThreadsMax = 2

    /// Prepares the threads without starting any.
    package init() {}

    /// Runs a piece of work when its turn comes, and returns its result.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let mustStart = state.withLock { state in
                state.waiting.append { continuation.resume(returning: body()) }
                guard state.running < Self.streamThreadsMax else { return false }
                state.running += 1
                return true
            }
            if mustStart { PlainThread.detach { self.work() } }
        }
    }

    private func work() {
        func next() -> (@Sendable () -> Void)? {
            state.withLock { state in
                if state.waiting.isEmpty { state.running -= 1 }
                return state.waiting.popFirst()
            }
        }
        while let body = next() { body() }
    }
}
