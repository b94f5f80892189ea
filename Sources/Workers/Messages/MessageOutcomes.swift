package import Domain
package import Logging
import Metrics
import Storage
import Synchronization
import Wire

/// A class that handles the outcomes of attempts to send messages, for all routes.
///
/// A dummy is a message that is never sent but must look like a real one. Therefore, a dummy copies the outcome and the
/// delay of the channel's last real message.
package final class MessageOutcomes: Sendable {
    /// The condition of a channel, as seen in the last attempts to send.
    struct Condition: Equatable {
        /// Whether the last message was accepted, or refused only because of the message itself.
        var works = true
        /// The milliseconds from a message's creation to its outcome.
        ///
        /// The message is the last one for which the channel worked at the first try.
        var milliseconds: Int64 = 0
    }

    /// The maximum number of logged messages whose secrets are remembered.
    private static let secretsMax = 100
    private let shown = Mutex<[(id: MessageID, secret: String)]>([])

    /// Returns the code or link of a recent message that was logged in development.
    package func shownSecret(_ id: MessageID) -> String? { shown.withLock { $0.last { $0.id == id }?.secret } }

    private func remember(_ message: OutgoingMessage) {
        guard let secret = message.secret else { return }
        shown.withLock { shown in
            if shown.count >= Self.secretsMax { shown.removeFirst() }
            shown.append((message.id, secret))
        }
    }

    private let conditions = Mutex<[OutgoingMessage.Channel: Condition]>([:])
    private let logger: Logger

    /// Creates a handler that has no outcomes yet.
    package init(logger: Logger = Logger(label: "delivery") { _ in SwiftLogNoOpLogHandler() }) { self.logger = logger }

    /// Returns the condition of a channel.
    func condition(_ channel: OutgoingMessage.Channel) -> Condition {
        conditions.withLock { $0[channel] ?? Condition() }
    }

    /// Records that the gateway of a channel did not answer in time.
    func isSilent(_ channel: OutgoingMessage.Channel) {
        conditions.withLock { $0[channel, default: Condition()].works = false }
    }

    // MARK: Outcomes of a try

    /// Deletes a sent message, notifies the terminal, and remembers a logged secret.
    func sent(
        _ row: OutgoingMessageTable.Due,
        by provider: String,
        isShown: Bool = false,
        in work: inout UnitOfWork
    ) throws {
        guard try work.tx.outgoingMessages.delete(row.message.id) else { return }
        note(row, works: true, at: work.now)
        if isShown { work.tx.afterCommit { self.remember(row.message) } }
        try noteUse(row, by: provider, failure: nil, in: work)
        try end(row, as: .sent, push: .sent, by: provider, in: &work)
        notifyTerminal(row, nil, in: &work)
    }

    /// After a failed try, schedules the next one or gives up on the message.
    func failed(
        _ row: OutgoingMessageTable.Due,
        _ failure: MessageFailure,
        by provider: String,
        in work: inout UnitOfWork
    ) throws {
        // After the lease has expired, another process may have tried to send the message. In that case, only that
        // process's outcome counts. If a terminal's session ends, its pushes are deleted, and no outcome counts.
        guard try work.tx.outgoingMessages.isAt(row.tries, row.message.id) else { return }
        work.tx.afterCommit {
            self.count(row, "retried")
            self.log(failure, of: row)
        }
        let error = row.message.redacted(failure.reason)
        if failure != .gone { try noteUse(row, by: provider, failure: error, in: work) }
        var pause = Self.pause(after: row.tries, in: work.limits)
        switch failure {
        case .gone:
            guard try work.tx.outgoingMessages.delete(row.message.id) else { return }
            return try end(row, as: .failed, push: .gone, by: provider, in: &work)
        case .unavailable(_, let retryAfter):
            pause = max(pause, min(retryAfter, WebhookRules.retryAfterMax))
            note(row, works: false, at: work.now)
        case .refused, .final:
            note(row, works: true, at: work.now)
            if row.message.isGuarded, row.told == nil {
                notifyTerminal(row, nil, in: &work)
                try work.tx.outgoingMessages.note(row.message.id, told: "sent")
            }
            if let why = Self.reason(failure, row, refusalsMax: work.limits.messageRefusals) {
                return try giveUp(row, why, error: error, by: provider, in: &work)
            }
        }
        try work.tx.outgoingMessages.note(row.message.id, error: error)
        try work.tx.outgoingMessages.postpone(row.message.id, until: work.now.adding(seconds: pause))
    }

    /// Returns why a refused message is given up, or nil if another try follows.
    private static func reason(
        _ failure: MessageFailure,
        _ row: OutgoingMessageTable.Due,
        refusalsMax: Int
    ) -> Rejection? {
        if case .final = failure { return Rejection(.invalidRequest, "This number or address accepts no messages.") }
        guard row.tries >= refusalsMax else { return nil }
        return Rejection(.unavailable, "The message was refused.")
    }

    /// Tells the terminal that a due dummy was sent, or postpones the dummy.
    ///
    /// The terminal is told at the time at which a real message would have been sent. While the channel doesn't work,
    /// the dummy is postponed.
    func stand(_ row: OutgoingMessageTable.Due, in work: inout UnitOfWork) throws {
        let condition = condition(row.message.channel)
        let ripe = row.createdAt.milliseconds + condition.milliseconds
        let id = row.message.id
        if !condition.works {
            let pause = Self.pause(after: row.tries, in: work.limits)
            try work.tx.outgoingMessages.postpone(id, until: work.now.adding(seconds: pause))
        } else if ripe > work.now.milliseconds {
            try work.tx.outgoingMessages.postpone(id, until: Instant(milliseconds: ripe))
        } else if try work.tx.outgoingMessages.delete(id) {
            notifyTerminal(row, nil, in: &work)
        }
    }

    /// Handles an expired message, which has been deleted from the store.
    func expired(_ row: OutgoingMessageTable.Due, by provider: String, in work: inout UnitOfWork) throws {
        let end = PushEnd.failed(row.error ?? "The push could not be sent in time.")
        try self.end(row, as: .expired, push: end, by: provider, in: &work)
        guard row.told == nil else { return }
        let failure = Rejection(.unavailable, "The message could not be sent in time.")
        notifyTerminal(row, failure, in: &work)
    }

    private func giveUp(
        _ row: OutgoingMessageTable.Due,
        _ why: Rejection,
        error: String,
        by provider: String,
        in work: inout UnitOfWork
    ) throws {
        guard try work.tx.outgoingMessages.delete(row.message.id) else { return }
        var row = row
        row.error = error
        try end(row, as: .failed, push: .failed(error), by: provider, in: &work)
        guard row.told == nil, !row.message.isGuarded else { return }
        notifyTerminal(row, why, in: &work)
    }

    /// Counts and records a message's outcome, and logs failures, but ignores dummies.
    ///
    /// The outcome of a push is counted too, but it is recorded in the push's notification.
    private func end(
        _ row: OutgoingMessageTable.Due,
        as state: MessageRecord.State,
        push end: PushEnd,
        by provider: String,
        in work: inout UnitOfWork
    ) throws {
        let message = row.message
        work.tx.afterCommit { self.count(row, state.rawValue) }
        if let push = message.push { return try work.end(push, as: end) }
        guard !message.isDummy else { return }
        let record = MessageRecord(
            id: message.id,
            channel: message.channel,
            address: MaskedAddress.text(message.to),
            template: message.template,
            app: message.app,
            provider: provider,
            state: state,
            tries: row.tries,
            error: row.error,
            createdAt: row.createdAt,
            endedAt: work.now
        )
        try work.tx.messageRecords.add(message, record)
        guard state != .sent else { return }
        let data = LoggedEventCodec.message(record)
        work.effects.log(LoggedEvent(.messageFailed, at: work.now, app: message.app, data: data))
    }

    /// Records whether the app's messages can be sent, unless they are only logged.
    private func noteUse(
        _ row: OutgoingMessageTable.Due,
        by provider: String,
        failure: String?,
        in work: UnitOfWork
    ) throws {
        guard !row.message.isDummy, provider != Route.logName else { return }
        let name = row.message.push?.address.kind.rawValue ?? row.message.channel.rawValue
        try work.tx.providerUses.note(name, of: row.message.app, failure: failure)
    }

    private func notifyTerminal(_ row: OutgoingMessageTable.Due, _ failure: Rejection?, in work: inout UnitOfWork) {
        guard row.told == nil, let origin = row.message.origin else { return }
        work.effects.publish(
            OutboundMessage(
                work.topics.terminal(origin.app, origin.terminal, leaf: "code"),
                OutgoingMessageCodec.state(origin.requestID, failure: failure)
            ),
            isSecret: true
        )
    }

    /// Logs a failure for the operator, in the provider's words but without the message's secrets.
    private func log(_ failure: MessageFailure, of row: OutgoingMessageTable.Due) {
        logger.warning(
            "A message was not accepted",
            metadata: [
                "message.id": "\(row.message.id)", "channel": "\(row.message.channel.rawValue)",
                "tries": "\(row.tries)", "reason": "\(row.message.redacted(failure.reason))",
            ]
        )
    }

    private func note(_ row: OutgoingMessageTable.Due, works: Bool, at now: Instant) {
        let age = max(0, now.milliseconds - row.createdAt.milliseconds)
        conditions.withLock { conditions in
            conditions[row.message.channel, default: Condition()].works = works
            // Only a first try shows how long a message usually takes.
            guard works, row.tries <= 1 else { return }
            conditions[row.message.channel]?.milliseconds = age
        }
    }

    private static func pause(after tries: Int, in limits: Limits) -> Int64 {
        pause(after: tries, first: limits.messageBackoff, max: limits.messageBackoffMax)
    }

    /// Returns how many seconds to wait before the next try: `first`, doubled with each further try up to `max`.
    static func pause(after tries: Int, first: Int64, max: Int64) -> Int64 {
        Swift.min(max, first << Int64(min(Swift.max(tries, 1) - 1, 16)))
    }

    private func count(_ row: OutgoingMessageTable.Due, _ outcome: String) {
        guard !row.message.isDummy else { return }
        Counter(
            label: "lamplighter_deliveries_total",
            dimensions: [("channel", row.message.channel.rawValue), ("outcome", outcome)]
        ).increment()
    }
}
