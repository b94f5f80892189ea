/// The limit on the messages from one source address, shared fairly by its senders.
///
/// Many senders, each within its own allowance, can send too much together. When an address has used up its rate and
/// burst, messages from infrequent senders still pass. An honest app thus works even if another sender behind its
/// router floods the service. Infrequent senders' messages are also counted, and can leave the address in debt. The
/// total thus stays within the rate, unless the infrequent senders' messages alone exceed the rate.
///
/// Times are milliseconds on a clock that is never set back. The code never allocates memory.
package struct AddressBudget: Sendable, Equatable {
    private var messages: TokenBucket
    private var report = ReportTime()

    /// The recent activity of a sender, which shows whether the sender is infrequent.
    ///
    /// A message counts as activity only if the sender is still infrequent when the message arrives. The maximum rate
    /// of an infrequent sender is far below a sender's allowance. If the maximum rate were close to the allowance,
    /// hostile senders could pass as infrequent: two hundred of them could each send almost their whole allowance.
    package struct Sender: Sendable, Equatable {
        fileprivate var seldom: TokenBucket

        /// The maximum long-run rate of an infrequent sender, in messages per second: enough for an app's user.
        package static let seldomPerSecond = 1
        /// The maximum number of messages that an infrequent sender can send at once.
        ///
        /// The number is enough for an app that shows a few devices when it opens. Two hundred hostile senders can send
        /// at most 2,000 messages at once beyond their address's burst.
        package static let seldomBurst = 10

        /// Makes a sender that has sent nothing yet.
        package init(now: Int64) {
            seldom = TokenBucket(perSecond: Self.seldomPerSecond, burst: Self.seldomBurst, now: now)
        }

        /// Counts a connection as a message, because each lost connection can publish a will.
        package mutating func noteConnection(at now: Int64) { _ = isSeldom(at: now) }

        /// Returns whether this sender will be treated like a new sender from now on.
        package mutating func isAsNew(at now: Int64) -> Bool {
            seldom.fill(at: now)
            return seldom.isFull
        }

        /// Returns whether the sender is still infrequent, and if so, counts a message.
        fileprivate mutating func isSeldom(at now: Int64) -> Bool {
            seldom.fill(at: now)
            guard seldom.has(1) else { return false }
            seldom.take(1)
            return true
        }
    }

    /// Makes a budget with the whole burst available.
    ///
    /// A rate of 0 sets no limit. A burst of 0 stands for the number of messages that the rate allows in one second.
    package init(messagesPerSecond: Int, messageBurst: Int, now: Int64) {
        messages = TokenBucket(perSecond: messagesPerSecond, burst: messageBurst, now: now)
    }

    /// Decides whether to let a sender's message through, and if so, counts the message.
    package mutating func take(_ sender: inout Sender, at now: Int64) -> ShareVerdict {
        messages.fill(at: now)
        let isSeldom = sender.isSeldom(at: now)
        if messages.has(1) || isSeldom {
            messages.owe(1)
            return .within
        }
        return .beyond(mustTell: report.mustTell(at: now))
    }

    /// Returns whether a new budget would make the same decisions as this budget from now on.
    package mutating func isAsNew(at now: Int64) -> Bool {
        messages.fill(at: now)
        return messages.isFull
    }
}
