/// The count of a worker's unprocessed messages, with a fair share for each sender.
///
/// The worker publishes echoes to itself. The echoes wait in the same queue as the senders' messages. When an echo
/// comes back, the worker has processed all messages before the echo. Each echo contains `seen`, the number of the
/// newest echo that has come back. The backlog marks one echo. Once `seen` reaches the marked echo, all messages before
/// the mark have been processed. The mark then moves to the newest echo, and a new epoch begins. Only messages after
/// the previous mark can still be waiting. The messages of each sender and of all senders are therefore counted in the
/// current epoch and in the previous epoch.
///
/// When the backlog reaches `limit`, a sender that has used its share can't add messages. The share is the limit
/// divided by the number of senders in the backlog, but at least one message. The backlog is thus at most twice the
/// limit if there are no more senders than `limit`. If there are more senders, the backlog can grow to the limit plus
/// one message for each sender.
///
/// Nothing is counted before the first echo or while the worker isn't connected. The broker's own limits restrict the
/// queue then. Times are milliseconds on a clock that is never set back. The code never allocates memory.
package struct Backlog: Sendable {
    private let limit: Int
    /// The number of the marked echo, or nil while the worker isn't connected.
    private var mark: Int64?
    /// The number of the current epoch, which grows with each mark.
    private var epoch = 0
    /// The number of messages in this epoch (`new`) and in the previous epoch (`old`).
    private var messages = (new: 0, old: 0)
    /// The number of senders in this epoch (`new`) and in the previous one (`old`).
    ///
    /// `fresh` counts the senders of this epoch that sent nothing in the previous epoch.
    private var senders = (new: 0, fresh: 0, old: 0)

    /// The counts of one sender.
    package struct Sender: Sendable, Equatable {
        fileprivate var epoch = 0
        fileprivate var new = 0
        fileprivate var old = 0
        fileprivate var report = ReportTime()

        /// Makes counts that are all zero.
        package init() {}
    }

    /// Makes an empty backlog, which refuses no message if `limit` is 0.
    package init(limit: Int) { self.limit = limit }

    /// The number of messages that the worker might not have processed yet.
    package var count: Int { messages.new &+ messages.old }

    /// Records the number of a published echo, and the number of the newest echo that came back (`seen`).
    ///
    /// A worker numbers its echoes in ascending order, beginning with the time of its start. If `number` isn't above
    /// the marked echo's number (`mark`), the worker has restarted after its clock was set back. Counting then starts
    /// again from zero.
    package mutating func note(echo number: Int64, seen: Int64) {
        guard let mark, number > mark else { return begin(at: number) }
        guard seen >= mark else { return }
        self.mark = number
        epoch &+= 1
        messages = (0, messages.new)
        senders = (0, 0, senders.new)
    }

    /// Records that the worker's connection has ended.
    package mutating func end() { mark = nil }

    private mutating func begin(at number: Int64) {
        mark = number
        // Raising the epoch by two resets the counts of every sender.
        epoch &+= 2
        messages = (0, 0)
        senders = (0, 0, 0)
    }

    /// Decides whether a message passes, and if so, adds `units` to the count.
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
