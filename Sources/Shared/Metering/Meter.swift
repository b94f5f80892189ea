/// A meter of one connection's messages against its allowance, and of the time it sends too fast.
///
/// A second with a refusal is hot; each quiet second takes one hot second back. After more than `patience` hot seconds,
/// which is `patience` seconds after the first refusal if none was quiet, the connection must be closed: short peaks
/// never get there, and neither does a sender that keeps to the rate between them.
///
/// Times are milliseconds on a clock that is never set back. It never allocates.
package struct Meter: Sendable, Equatable {
    private var messages: TokenBucket
    private var bytes: TokenBucket
    private let patience: Int
    private var heat = 0
    /// The beginning of the newest hot second.
    private var hotSince: Int64 = .min / 2

    /// The decision about a message.
    package enum Verdict: Sendable, Equatable {
        /// It is within the allowance, and was counted.
        case within
        /// It exceeds the allowance, and was not counted. The first refusal in a second must be reported; once it has
        /// lasted too long, the connection must be closed.
        case beyond(mustTell: Bool, mustClose: Bool)
    }

    /// Begins with the whole burst; `patience` is in seconds, and with 0 no connection is closed.
    package init(_ allowance: Allowance, patience: Int, now: Int64) {
        messages = TokenBucket(perSecond: allowance.messagesPerSecond, burst: allowance.messageBurst, now: now)
        bytes = TokenBucket(perSecond: allowance.bytesPerSecond, burst: allowance.byteBurst, now: now)
        self.patience = patience
    }

    /// Counts messages with their total size, or refuses all of them.
    package mutating func take(messages count: Int = 1, bytes size: Int, at now: Int64) -> Verdict {
        messages.fill(at: now)
        bytes.fill(at: now)
        guard messages.has(count), bytes.has(size) else { return refuse(at: now) }
        messages.take(count)
        bytes.take(size)
        return .within
    }

    private mutating func refuse(at now: Int64) -> Verdict {
        let seconds = (now &- hotSince) / 1_000
        guard seconds > 0 else { return .beyond(mustTell: false, mustClose: false) }
        heat = Int(max(0, Int64(heat) &- (seconds &- 1))) &+ 1
        hotSince = heat == 1 ? now : hotSince &+ seconds &* 1_000
        let mustClose = patience > 0 && heat > patience
        if mustClose { heat = 0 }
        return .beyond(mustTell: true, mustClose: mustClose)
    }

    /// Returns whether a new meter would decide the same from now on.
    package mutating func isAsNew(at now: Int64) -> Bool {
        messages.fill(at: now)
        bytes.fill(at: now)
        return messages.isFull && bytes.isFull && (now &- hotSince) / 1_000 > Int64(heat)
    }
}
