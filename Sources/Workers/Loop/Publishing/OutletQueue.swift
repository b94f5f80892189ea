import DequeModule
import Domain

/// A message that waits to be published, with its row of the outbox.
struct PendingMessage {
    var row: Int64
    var message: OutboundMessage
    /// When a replaceable status began to wait, or nil for any other message.
    var since: ContinuousClock.Instant?
    var number = 0
    /// The approximate size of the message in memory, in bytes.
    let size: Int

    /// Creates a pending message, which shares the memory of the previous message's payload if `sharesPayload` is true.
    init(row: Int64, message: OutboundMessage, sharesPayload: Bool) {
        self.row = row
        self.message = message
        size = message.size - (sharesPayload ? message.payload.count : 0)
    }
}

extension OutboundMessage {
    /// The approximate size of the message in memory, in bytes.
    var size: Int {
        topic.utf8.count + payload.count + (correlation?.count ?? 0) + (traceparent?.utf8.count ?? 0) + 128
    }
}

/// A queue for one connection, which keeps each receiver's messages in order and lets receivers take turns.
///
/// While answers and messages to users are both waiting, three answers are published for each message to a user. The
/// reason is that a sender without an answer repeats its request. If statuses have waited too long, only the newest
/// status on each topic is published.
struct OutletQueue {
    private var words = Deque<PendingMessage>()
    private var answers = FairLine<UInt64, PendingMessage>()
    private var news = FairLine<UInt64, PendingMessage>()
    /// The sequence number of the newest waiting status on each topic.
    private var newest: [String: Int] = [:]
    private var lastNumber = 0
    private var answersInARow = 0
    private let staleAfter: Duration
    /// The number of published messages that the broker has not confirmed.
    var open = 0

    private static let answersPerNews = 3
    /// A status is replaceable only if at least this many messages to users were waiting when it was added.
    private static let watchedMin = 100

    init(_ limits: Limits) { staleAfter = limits.staleAfter }

    /// Adds a message, which follows all earlier messages to the same receiver.
    mutating func append(_ pending: PendingMessage, of party: Parties.Party) {
        switch party.kind {
        case .service: words.append(pending)
        case .sender, .registration: answers.append(pending, of: party.key)
        case .user: news.append(watched(pending), of: party.key)
        }
    }

    private mutating func watched(_ pending: PendingMessage) -> PendingMessage {
        guard news.count >= Self.watchedMin, pending.message.isRetained else { return pending }
        var pending = pending
        lastNumber += 1
        pending.since = .now
        pending.number = lastNumber
        newest[pending.message.topic] = lastNumber
        return pending
    }

    /// Removes and returns the next message, and whether a newer status has replaced it.
    mutating func popFirst() -> (pending: PendingMessage, isVoid: Bool)? {
        guard let pending = words.popFirst() ?? popNext() else { return nil }
        guard let since = pending.since, let last = newest[pending.message.topic] else { return (pending, false) }
        if last == pending.number {
            newest[pending.message.topic] = nil
            return (pending, false)
        }
        return (pending, ContinuousClock.now - since > staleAfter)
    }

    private mutating func popNext() -> PendingMessage? {
        if news.count > 0, answers.count == 0 || answersInARow >= Self.answersPerNews {
            answersInARow = 0
            return news.popFirst()
        }
        answersInARow += 1
        return answers.popFirst()
    }
}
