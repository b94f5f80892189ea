/// The limit on messages of all senders behind one source address, shared fairly.
///
/// Many senders, each within its own allowance, add up. When the address has used up its rate and burst, a sender still
/// passes if it sends seldom: an honest app is served behind the same router as a flood, and so are a thousand honest
/// apps behind one address. These messages count too, and the address owes them: the total stays within the rate, or
/// within the messages of the seldom senders if these are more.
///
/// Times are milliseconds on a clock that is never set back. It never allocates.
package struct AddressBudget: Sendable, Equatable {
    private var messages: TokenBucket
    private var report = ReportTime()

    /// The recent activity of one sender, which shows whether it sends seldom.
    ///
    /// Refused messages count too. Its rate is far below a sender's allowance: two hundred senders that each stay just
    /// within their allowance must not all pass.
    package struct Sender: Sendable, Equatable {
        fileprivate var seldom: TokenBucket

        /// Messages a second that count as seldom in the long run: the taps of a user.
        package static let seldomPerSecond = 1
        /// Messages at once that count as seldom: an app that opens with a few devices.
        ///
        /// Two hundred hostile senders can thus send at most 2,000 messages more at once: as many again as their
        /// address's burst.
        package static let seldomBurst = 10

        /// Begins as a sender that has sent nothing.
        package init(now: Int64) {
            seldom = TokenBucket(
                perSecond: Self.seldomPerSecond,
                burst: Self.seldomBurst,
                now: now
            )
        }

        /// Counts a connection as a message, so that a sender that keeps reconnecting, only to leave a will each time,
        /// is not taken for a new one.
        package mutating func noteConnection(at now: Int64) {
            _ = isSeldom(at: now)
        }

        /// Returns whether a new sender would be treated the same from now on.
        package mutating func isAsNew(at now: Int64) -> Bool {
            seldom.fill(at: now)
            return seldom.isFull
        }

        /// Counts a message; false if the sender sends more than seldom.
        fileprivate mutating func isSeldom(at now: Int64) -> Bool {
            seldom.fill(at: now)
            guard seldom.has(1) else { return false }
            seldom.take(1)
            return true
        }
    }

    /// Begins with the whole burst; a rate of 0 sets no limit, and a burst of 0 stands for the rate of one second.
    package init(messagesPerSecond: Int, messageBurst: Int, now: Int64) {
        messages = TokenBucket(perSecond: messagesPerSecond, burst: messageBurst, now: now)
    }

    /// Decides about one message of a sender, and counts it if it passes.
    package mutating func take(_ sender: inout Sender, at now: Int64) -> ShareVerdict {
        messages.fill(at: now)
        let isSeldom = sender.isSeldom(at: now)
        if messages.has(1) || isSeldom {
            messages.owe(1)
            return .within
        }
        return .beyond(mustTell: report.mustTell(at: now))
    }

    /// Returns whether a new budget would decide the same from now on.
    package mutating func isAsNew(at now: Int64) -> Bool {
        messages.fill(at: now)
        return messages.isFull
    }
}
