import DequeModule
import Domain

/// The turns of webhooks: which have work, which are under way, and which wait for a moment or for an entry.
///
/// At most one post of a webhook is under way.
struct WebhookTurns {
    /// What the sender remembers of a webhook while the service runs.
    struct Webhook {
        /// The subscription as it was read last; nil before.
        var row: EventSubscription?
        /// Its app as it was read last.
        var app: App?
        /// The place up to which the log was looked at, behind the row's cursor if the filter left entries out.
        var from = EventCursor.start
        /// The end of the content that failed, which is repeated unchanged; nil for new content.
        var upTo: EventCursor?
        /// The page that is read ahead.
        var ahead: WebhookReadahead?
        /// The last tries that are not yet in the store, newest first, and when the ones before them were stored.
        var tries: (unstored: [EventDelivery], storedAt: Instant) = ([], Instant(milliseconds: 0))
        /// How far a refused batch was narrowed.
        var search = WebhookSearch()
        /// Whether its last post was quick; one that hasn't posted yet counts as slow.
        var isQuick = false
        /// The catalog's number when it began to wait for entries; nil if it doesn't wait.
        var waitsSince: Int64?

        /// Forgets what belongs to another cursor, address or filter.
        mutating func begin(with row: EventSubscription) {
            defer { self.row = row }
            guard let old = self.row, old.cursor == row.cursor, old.url == row.url, old.filter == row.filter else {
                (from, upTo, search) = (row.cursor, nil, WebhookSearch())
                return
            }
        }
    }

    /// What a webhook does after its turn.
    enum Next: Equatable {
        /// It takes its next turn behind the others.
        case turn
        /// It waits for a moment.
        case wait(until: Instant)
        /// It waits for an entry of the log.
        case listen
        /// It is no longer on.
        case leave
    }

    /// The number of senders that slow webhooks can have at once, so that they don't delay all others.
    static let slowMax = 6

    private var known: [SubscriptionID: Webhook] = [:]
    private var ready: Deque<SubscriptionID> = []
    private var due: [SubscriptionID: Instant] = [:]
    /// The webhooks under way, and whether they were woken meanwhile.
    private var busy: [SubscriptionID: Bool] = [:]

    /// Whether a turn can be taken.
    var hasTurn: Bool { next != nil }

    private var next: Int? {
        let slow = busy.keys.count { known[$0]?.isQuick != true }
        return ready.firstIndex { slow < Self.slowMax || known[$0]?.isQuick == true }
    }

    /// Gives a webhook a turn, even if it waits.
    mutating func wake(_ id: SubscriptionID) {
        if busy[id] != nil { return busy[id] = true }
        due[id] = nil
        if !ready.contains(id) { ready.append(id) }
    }

    /// Gives a turn to the webhooks whose moment has come; a moment far ahead was planned before the clock was set back.
    mutating func wakeDue(at now: Instant) {
        let far = now.adding(seconds: WebhookRules.retryAfterMax)
        for (id, moment) in due where moment <= now || moment > far { wake(id) }
    }

    /// Notes that a webhook's wait for entries is over.
    mutating func heard(_ id: SubscriptionID, since number: Int64) {
        if known[id]?.waitsSince == number { known[id]?.waitsSince = nil }
        wake(id)
    }

    /// Takes the next turn; `finish` must follow.
    mutating func take() -> (id: SubscriptionID, webhook: Webhook)? {
        guard let index = next else { return nil }
        let id = ready.remove(at: index)
        busy[id] = false
        let webhook = known[id] ?? Webhook()
        known[id] = webhook
        return (id, webhook)
    }

    /// Ends a turn.
    mutating func finish(_ id: SubscriptionID, _ webhook: Webhook, then next: Next) {
        let wasWoken = busy.removeValue(forKey: id) ?? false
        guard known[id] != nil else {
            // Forgotten meanwhile; another look may follow.
            if wasWoken { wake(id) }
            return
        }
        var webhook = webhook
        webhook.waitsSince = known[id]?.waitsSince
        known[id] = next == .leave ? nil : webhook
        switch next {
        case .turn: wake(id)
        case .wait(let moment): due[id] = moment
        case .listen, .leave: break
        }
        if wasWoken { wake(id) }
    }

    /// Notes that a webhook waits for entries, by the catalog's number; returns false if it does already.
    mutating func listens(_ id: SubscriptionID, since number: Int64) -> Bool {
        guard known[id] != nil, known[id]?.waitsSince != number else { return false }
        known[id]?.waitsSince = number
        return true
    }

    /// Forgets all, because another process sends.
    mutating func clear() { (known, ready, due) = ([:], [], [:]) }
}
