import Domain
import Storage
import Wire

/// `events/read`, which returns a page of the event log or waits for the next entry.
///
/// Pages are read outside the worker, and a waiting request occupies no thread (`EventWatch`).
enum EventReading {
    static let method = Method(isReading: true, run: run)

    /// The maximum number of bytes of a page's entries, which leaves room for the rest of the answer.
    private static let bytesMax = AnswerRows.bytesMax - 256

    @Sendable
    private static func run(_ call: inout Call) throws -> Reply {
        let key = try call.eventsKey()
        guard call.isPrepared else { return try begin(&call, key) }
        if !call.prepared.result.isEmpty {
            guard let wait = call.prepared.eventWait else { return .encoded(call.prepared.result) }
            return .more(.events(wait))
        }
        guard let wait = call.prepared.eventWait else { throw Rejection(.internal, "The read was interrupted.") }
        return .more(try page(wait, call))
    }

    private static func begin(_ call: inout Call, _ key: APIKey) throws -> Reply {
        let fields = call.fields
        let place = try fields.eventsAfter()
        let seconds = try fields.eventPage().wait
        let filter: EventFilter
        let cursor: EventCursor
        if fields.namesSubscription {
            try fields.refuseBesideSubscription()
            let subscription = try call.subscription()
            (filter, cursor) = (subscription.filter, subscription.cursor)
        } else {
            filter = try call.eventFilter()
            if filter.wantsStatuses { try call.tx.eventLog.keepStatuses() }
            cursor = try call.cursor(at: place ?? .now)
        }
        let end = ContinuousClock.now + .seconds(seconds)
        let reader = EventReader(app: call.app, filter: filter)
        return .more(try page(EventWait(reader, owner: key.id.text, after: cursor, until: end), call))
    }

    /// Returns the task that reads a page and, if the page is empty, continues to wait.
    private static func page(_ wait: EventWait, _ call: Call) throws -> BackgroundTask {
        let limit = try call.fields.eventPage().limit
        let (environment, now) = (call.environment, call.tx.now)
        return .reading(
            StoreReading { store, prepared in
                let page = try store.read(at: now) { tx in
                    try wait.reader.read(after: wait.cursor, limit: limit, bytesMax: bytesMax, in: tx)
                }
                let events = page.events.map(\.json)
                prepared.result = LoggedEventCodec.page(events, cursor: page.cursor, isMore: page.isMore)
                let mayWait = page.events.isEmpty && !page.isMore && !environment.ending.hasBegun
                guard mayWait, wait.end > .now else { return }
                prepared.eventWait = EventWait(wait.reader, owner: wait.owner, after: page.cursor, until: wait.end)
            }
        )
    }
}
