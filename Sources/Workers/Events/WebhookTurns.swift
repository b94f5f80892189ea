import DequeModule
import Domain

/// The schedule of the webhooks: which have work, which are being served, and which are waiting.
struct WebhookTurns {
    /// The state that the sender keeps in memory for a webhook while the service runs.
    struct Webhook {
        /// The subscription as last read, or nil before the first read.
        var row: EventSubscription?
        /// The subscription's app, as it was last read.
        var app: App?
        /// The position up to which the log was read, including entries that the filter left out.
        var from = EventCursor.start
        /// The cursor of the last event of a failed post that must be repeated, or nil.
        var upTo: EventCursor?
        /// The next batch, which is read while a post is under way.
        var ahead: WebhookReadahead?
        /// The attempts that aren't stored yet, newest first, and the time at which attempts were last stored.
        var tries: (unstored: [EventDelivery], storedAt: Instant) = ([], Instant(milliseconds: 0))
        /// The search for the event that makes the webhook refuse a batch.
        var search = WebhookSearch()
        /// Whether the last post to the webhook was quick, false before the first post.
        var isQuick = false
        /// The catalog's epoch when the webhook began to wait for entries, or nil if it isn't waiting.
        var waitsSince: Int64?

        /// Stores the subscription, and resets the state if its cursor, URL or filter changed.
        mutating func begin(with row: EventSubscription) {
            defer { self.row = row }
            guard let old = self.row, old.cursor == row.cursor, old.url == row.url, old.filter == row.filter else {
                (from, upTo, search) = (row.cursor, nil, WebhookSearch())
                return
            }
        }
    }

    /// The next step of a webhook after its turn.
    enum Next: Equatable {
        /// The webhook takes another turn, after the other webhooks that are ready for a turn.
        case turn
        /// The webhook waits until a given time.
        case wait(until: Instant)
        /// The webhook waits for an entry of the event log.
        case listen
        /// The webhook is no longer switched on.
        case leave
    }

    /// The maximum number of slow webhooks that take a turn at the same time.
    ///
    /// The remaining threads serve quick webhooks, which are therefore not delayed.
    static let slowMax = 6

    private var known: [SubscriptionID: Webhook] = [:]
    private var ready: Deque<SubscriptionID> = []
    private var due: [SubscriptionID: Instant] = [:]
    /// For each webhook whose turn is under way, whether it was woken during that turn.
    private var busy: [SubscriptionID: Bool] = [:]

    /// Whether a webhook can take a turn now.
    var hasTurn: Bool { next != nil }

    private var next: Int? {
        let slow = busy.keys.count { known[$0]?.isQuick != true }
        return ready.firstIndex { slow < Self.slowMax || known[$0]?.isQuick == true }
    }

    /// Gives a webhook a turn, even if it is waiting.
    mutating func wake(_ id: SubscriptionID) {
        if busy[id] != nil { return busy[id] = true }
        due[id] = nil
        if !ready.contains(id) { ready.append(id) }
    }

    /// Wakes the webhooks whose wait is over, or has become too long because the clock was set back.
    mutating func wakeDue(at now: Instant) {
        let far = now.adding(seconds: WebhookRules.retryAfterMax)
        for (id, moment) in due where moment <= now || moment > far { wake(id) }
    }

    /// Gives a webhook a turn, and ends the wait that began at epoch `number`.
    mutating func heard(_ id: SubscriptionID, since number: Int64) {
        if known[id]?.waitsSince == number { known[id]?.waitsSince = nil }
        wake(id)
    }

    /// Takes the next turn; `finish` must be called afterwards.
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
            // The webhook was forgotten during its turn. It gets another turn if it was woken.
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

    /// Records the epoch at which a known webhook begins to wait.
    ///
    /// Returns false if the webhook is unknown, or if its wait already began at this epoch.
    mutating func listens(_ id: SubscriptionID, since number: Int64) -> Bool {
        guard known[id] != nil, known[id]?.waitsSince != number else { return false }
        known[id]?.waitsSince = number
        return true
    }

    /// Forgets all webhooks, because another process is now the sender.
    mutating func clear() { (known, ready, due) = ([:], [], [:]) }
}
