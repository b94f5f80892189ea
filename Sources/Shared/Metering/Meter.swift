/// A meter that measures for how long a connection's messages exceed an allowance.
///
/// A second with a refusal counts as hot. Each second without a refusal subtracts one hot second. The connection must
/// be closed when the count of hot seconds exceeds `patience`. If messages are refused in every second, this happens
/// `patience` seconds after the first refusal. Short peaks never close a connection that keeps to the rate between the
/// peaks.
///
/// Times are milliseconds on a clock that is never set back. The code never allocates memory.
package struct Meter: Sendable, Equatable {
    private var messages: TokenBucket
    private var bytes: TokenBucket
    private let patience: Int
    private var heat = 0
    /// The beginning of the newest hot second.
    private var hotSince: Int64 = .min / 2

    /// The decision about a message.
    package enum Verdict: Sendable, Equatable {
        /// The message is within the allowance, and was counted.
        case within
        /// The message exceeds the allowance, and was not counted.
        ///
        /// If `mustTell` is true (at most once a second), the refusal must be reported. If `mustClose` is true, the
        /// refusals have lasted too long, and the connection must be closed.
        case beyond(mustTell: Bool, mustClose: Bool)
    }

    /// Makes a meter with the whole burst available.
    ///
    /// `patience` is in seconds, and with 0 the connection is never closed.
    package init(_ allowance: Allowance, patience: Int, now: Int64) {
        messages = TokenBucket(perSecond: allowance.messagesPerSecond, burst: allowance.messageBurst, now: now)
        bytes = TokenBucket(perSecond: allowance.bytesPerSecond, burst: allowance.byteBurst, now: now)
        self.patience = patience
    }

    /// Counts the messages if all are within the allowance, and otherwise refuses all.
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

    /// Returns whether a new meter would make the same decisions as this meter from now on.
    package mutating func isAsNew(at now: Int64) -> Bool {
        messages.fill(at: now)
        bytes.fill(at: now)
        return messages.isFull && bytes.isFull && (now &- hotSince) / 1_000 > Int64(heat)
    }
}
