/// The count of senders' messages that a worker has not processed yet, with a fair share for each sender.
///
/// The worker sends itself echoes through the queue of the senders' messages. Each echo names the newest echo that
/// returned after all messages before it were processed. When an echo names the one marked here, all messages let
/// through before that mark are processed: only messages between the two echoes, and from now on, are left. These are
/// two epochs, and each sender's messages are counted in the same two.
///
/// At a backlog of `limit`, a sender that has used its share can't add messages. The share is the limit divided among
/// the senders in the backlog, and at least one message. The backlog thus stays within twice the limit, or the limit
/// and one message for each sender.
///
/// Nothing is counted before the first echo and while the worker isn't connected: the broker's own limits bound that
/// queue. Times are milliseconds on a clock that is never set back. It never allocates.
package struct Backlog: Sendable {
    private let limit: Int
    /// The newest echo that was marked; nil while the worker isn't connected.
    private var mark: Int64?
    /// Grows with each mark.
    private var epoch = 0
    /// The messages since the mark (`new`), and those between the previous mark and this one (`old`).
    private var messages = (new: 0, old: 0)
    /// Senders with messages since the mark, senders among them without any in the previous epoch, and the senders of
    /// that epoch.
    private var senders = (new: 0, fresh: 0, old: 0)

    /// The counts of one sender.
    package struct Sender: Sendable, Equatable {
        fileprivate var epoch = 0
        fileprivate var new = 0
        fileprivate var old = 0
        fileprivate var report = ReportTime()

        /// Begins with nothing.
        package init() {}
    }

    /// Begins without a worker; a limit of 0 refuses nothing.
    package init(limit: Int) {
        self.limit = limit
    }

    /// The number of messages not known to be processed.
    package var count: Int { messages.new &+ messages.old }

    /// Notes an echo that the worker publishes; `seen` is the newest echo that returned to it.
    ///
    /// A number that isn't larger than the mark's comes from a restarted worker whose clock was set back.
    package mutating func note(echo number: Int64, seen: Int64) {
        guard let mark, number > mark else { return begin(at: number) }
        guard seen >= mark else { return }
        self.mark = number
        epoch &+= 1
        messages = (0, messages.new)
        senders = (0, 0, senders.new)
    }

    /// Notes the end of the worker's connection.
    package mutating func end() {
        mark = nil
    }

    private mutating func begin(at number: Int64) {
        mark = number
        // Every sender's counts are void.
        epoch &+= 2
        messages = (0, 0)
        senders = (0, 0, 0)
    }

    /// Decides about a sender's message, and counts it if it is let through: as several, if it is long.
    package mutating func take(_ sender: inout Sender, as units: Int = 1, at now: Int64) -> ShareVerdict {
        guard limit > 0, mark != nil else { return .within }
        sender.roll(to: epoch)
        if count >= limit, sender.new &+ sender.old >= share(with: sender) {
            return .beyond(mustTell: sender.report.mustTell(at: now))
        }
        if sender.new == 0 {
            senders.new &+= 1
            if sender.old == 0 { senders.fresh &+= 1 }
        }
        sender.new &+= units
        messages.new &+= units
        return .within
    }

    private func share(with sender: Sender) -> Int {
        let isAmongThem = sender.new &+ sender.old > 0
        return max(1, limit / max(1, senders.old &+ senders.fresh &+ (isAmongThem ? 0 : 1)))
    }
}

extension Backlog.Sender {
    fileprivate mutating func roll(to now: Int) {
        guard epoch != now else { return }
        old = epoch == now &- 1 ? new : 0
        new = 0
        epoch = now
    }
}
