import DequeModule
import Domain
import Storage
import Synchronization
package import Wire

/// The reading of an open stream of the event log, for an API key: one page after another, as the client takes them.
///
/// A stream whose client is slow isn't read for. Each reading checks that the key, and the subscription if any, still
/// exist; a change of one of them ends the wait for the next entry.
package final class EventStream: Sendable {
    /// How a look into the log went on.
    private enum Look {
        case part(EventPart)
        case wait(EventWait)
        case more
        case failed
    }

    private struct State {
        /// The place up to which the log was read for the client.
        var cursor: EventCursor
        /// The subscription's cursor as it was read last; nil without a subscription.
        var stored: EventCursor?
        /// When the log was last asked to keep statuses; nil if the stream doesn't ask for that.
        var keptAt: ContinuousClock.Instant?
        var hasStopped = false
        var waiting: CheckedContinuation<Void, Never>?

        /// Notes the subscription's cursor: the stream follows a cursor that was moved back, or ahead of it.
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
    /// A text that only this stream has, by which the newest reader of a subscription is known.
    private let number = TraceID.make().text
    private let state: Mutex<State>

    /// The most bytes of a page.
    private static let pageBytes = 32 << 10
    /// The most entries of a page.
    private static let pageMax = 1_000
    /// The time after which `next` returns `silence`.
    private static let silenceMax = Duration.seconds(15)
    /// The time after which statuses must be kept anew.
    private static let keeping = Duration.seconds(60)
    /// The pause after a failure of the store.
    private static let pause = Duration.milliseconds(500)

    /// Opens a stream; blocks the calling thread.
    ///
    /// - Throws: `Rejection`, with the fields of `events/read`.
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

    /// Ends the stream: `next` returns at once.
    package func stop() {
        state.withLock { $0.hasStopped = true }
        wake()
    }

    /// Returns the next entries once there are some; one task at a time may ask.
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
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    // MARK: On a thread

    private func look(until end: ContinuousClock.Instant) throws -> Look {
        let now = environment.clock.now
        if let keptAt = state.withLock(\.keptAt), keptAt + Self.keeping < .now {
            state.withLock { $0.keptAt = .now }
            // Reading goes on even if nothing can be written now.
            try? environment.store.batch(at: now) { try $0.eventLog.keepStatuses() }
        }
        return try environment.store.read(at: now) { tx in
            let key = try tx.keys.find(token: token)
            guard let key, key.refusal(at: now) == nil, let app = try tx.apps.find(key.app) else {
                return .part(.end(key?.refusal(at: now)?.reason ?? "replaced"))
            }
            var reader = EventReader(app: app, filter: filter)
            if let subscription {
                guard let row = try tx.eventSubscriptions.find(subscription) else { return .part(.end("unsubscribed")) }
                guard try tx.eventSubscriptions.reader(of: subscription) == number else {
                    return .part(.end("takenOver"))
                }
                reader.filter = row.filter
                state.withLock { $0.follow(row.cursor) }
            }
            let (cursor, epoch) = (state.withLock(\.cursor), try tx.meta.catalogEpoch())
            let page = try reader.read(after: cursor, limit: Self.pageMax, bytesMax: Self.pageBytes, in: tx)
            state.withLock { $0.cursor = page.cursor }
            guard page.events.isEmpty else {
                let types = page.types.map(\.rawValue)
                return .part(.events(zip(page.events, types).map { (id: $0.id.text, type: $1, json: $0.json) }))
            }
            return page.isMore ? .more : .wait(EventWait(reader, after: page.cursor, until: end, epoch: epoch))
        }
    }
}

/// The threads that read for all streams in turn; they run while there is something to read.
package final class StreamThreads: Sendable {
    private struct State {
        var waiting: Deque<@Sendable () -> Void> = []
        var running = 0
    }

    private let state = Mutex(State())

    /// The number of threads, which leaves readers of the store for requests.
    private static let streamThreadsMax = 2

    /// Makes threads, none of which runs yet.
    package init() {}

    /// Runs a piece of work in turn, and returns its result.
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
