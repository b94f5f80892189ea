package import Domain
package import Logging
import Storage
import Synchronization
import Wire

/// The sender of queued e-mails and text messages, which leases them in small transactions and sends them outside
/// transactions.
///
/// If the process ends while a message is leased and has no outcome yet, the message is due again after the restart, or
/// at the latest when its lease expires, so each message is sent at least once. The sender runs in the process of the
/// session worker, which publishes the sender's MQTT messages.
package final class MessageSender: Sendable {
    private let environment: Environment
    private let routes: [OutgoingMessage.Channel: Route]
    private let logger: Logger
    private let wakeup: AsyncStream<Void>
    private let ring: AsyncStream<Void>.Continuation
    private let inFlight = Mutex<[OutgoingMessage.Channel: Int]>([:])

    /// The action that is carried out for a message after the commit.
    private enum Step {
        case send(OutgoingMessageTable.Due, ComposedMessage)
        case log(OutgoingMessage, MessageText?)
    }

    /// Prepares a sender; messages of a channel without a route are published for gateways.
    package init(_ environment: Environment, routes: [OutgoingMessage.Channel: Route], logger: Logger) {
        self.environment = environment
        self.routes = routes
        self.logger = logger
        (wakeup, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    private var outcomes: MessageOutcomes { environment.messageOutcomes }

    private func name(of channel: OutgoingMessage.Channel) -> String { (routes[channel] ?? .gateway).name(of: channel) }

    // MARK: The loop

    /// Runs until `stop` is called or the task is cancelled.
    package func run() async {
        let ring = ring
        resume()
        environment.store.onOutgoingMessage { ring.yield() }
        ring.yield()
        var timer: Task<Void, Never>?
        for await _ in wakeup {
            timer?.cancel()
            let pause = round()
            timer = Task {
                guard (try? await Task.sleep(for: pause)) != nil else { return }
                ring.yield()
            }
        }
        timer?.cancel()
        await drain()
    }

    /// Makes the messages of the previous process due immediately, since an operator may have fixed their problem.
    private func resume() {
        // If several processes share the work, another process may be sending these messages.
        guard !environment.plan.isShared else { return }
        do { try environment.store.batch(at: environment.clock.now) { tx in try tx.outgoingMessages.resume() } } catch {
            logger.warning("Messages of the last run wait for their next try", because: error)
        }
    }

    /// Ends `run`; messages that are being sent get two more seconds.
    package func stop() { ring.finish() }

    private func drain() async {
        for _ in 0..<100 where inFlight.withLock({ $0.values.contains { $0 > 0 } }) {
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Runs one round; returns the time until the next message is due.
    ///
    /// The time is at most a second, since another process may also queue messages.
    func round() -> Duration {
        guard environment.leadership.isHeld else { return .milliseconds(200) }
        do {
            let now = environment.clock.now
            if try hasWork(at: now) { for channel in OutgoingMessage.Channel.allCases { try takeUp(channel) } }
            let next = try environment.store.read { tx in try self.next(in: tx) }
            let left = next.map { $0.milliseconds - environment.clock.now.milliseconds } ?? 1000
            return .milliseconds(min(1000, max(5, left)))
        } catch {
            logger.warning("Messages can't be read from the store", because: error)
            return .seconds(1)
        }
    }

    private func hasWork(at now: Instant) throws -> Bool {
        try environment.store.read { tx in try self.next(in: tx) }.map { $0 <= now } ?? false
    }

    private func next(in tx: Transaction) throws -> Instant? {
        let due = try OutgoingMessage.Channel.allCases.filter { room($0) > 0 }
            .compactMap { try tx.outgoingMessages.nextDue($0) }
        return (due + [try tx.outgoingMessages.nextExpiry()].compactMap(\.self)).min()
    }

    private func room(_ channel: OutgoingMessage.Channel) -> Int {
        guard case .direct = routes[channel] else { return environment.limits.messagePage }
        return environment.limits.messagesAtOnce - inFlight.withLock { $0[channel] ?? 0 }
    }

    // MARK: Taking up

    private func takeUp(_ channel: OutgoingMessage.Channel) throws {
        let room = room(channel)
        let steps = try environment.work(publishedBy: .session) { work in
            let limits = work.limits
            for row in try work.tx.outgoingMessages.takeExpired(limit: limits.messagePage) {
                try outcomes.expired(row, by: name(of: row.message.channel), in: &work)
            }
            guard room > 0 else { return [Step]() }
            return try work.tx.outgoingMessages.claim(channel, leaseSeconds: limits.messageLease, limit: room)
                .compactMap { row in try decide(row, in: &work) }
        }
        for step in steps { carryOut(step) }
    }

    /// Decides what happens to a due message; returns the action to carry out after the commit.
    private func decide(
        _ row: OutgoingMessageTable.Due,
        in work: inout UnitOfWork
    ) throws -> Step? {
        if row.message.isDummy {
            try outcomes.stand(row, in: &work)
            return nil
        }
        let appName = try work.app(row.message.app)?.name ?? row.message.app.text
        switch routes[row.message.channel] ?? .gateway {
        case .gateway:
            try publish(row, appName: appName, in: &work)
            return nil
        case .log(let showsText):
            try outcomes.sent(row, by: Route.logName, isShown: showsText, in: &work)
            let text = try showsText ? words(row.message, appName: appName, in: work) : nil
            return .log(row.message, text)
        case .direct:
            let text = try words(row.message, appName: appName, in: work)
            return .send(row, ComposedMessage(row.message, appName: appName, text: text))
        }
    }

    private func words(_ message: OutgoingMessage, appName: String, in work: UnitOfWork) throws -> MessageText {
        let own = try work.tx.apps.document(message.app).map(AppWords.init)
        return MessageText.render(message, appName: appName) { own?.words($0, $1) }
    }

    private func publish(_ row: OutgoingMessageTable.Due, appName: String, in work: inout UnitOfWork) throws {
        let limits = work.limits
        if row.tries > 1 { outcomes.isSilent(row.message.channel) }
        let language = Language.pick(tag: row.message.language, countryCode: row.message.countryCode)
        work.effects.publish(
            OutboundMessage(
                work.topics.system("outbound/\(row.message.channel.rawValue)"),
                OutgoingMessageCodec.outbound(row.message, language: language, appName: appName),
                expiresAt: row.message.expiresAt
            ),
            isSecret: true
        )
        let pause = MessageOutcomes.pause(
            after: row.tries,
            first: limits.gatewayPatience,
            max: limits.messageBackoffMax
        )
        let until = work.now.adding(seconds: pause)
        try work.tx.outgoingMessages.postpone(row.message.id, until: until)
    }

    // MARK: Handing over

    private func carryOut(_ step: Step) {
        switch step {
        case .log(let message, let text): write(message, text)
        case .send(let row, let message):
            guard case .direct(let send) = routes[row.message.channel] else { return }
            let channel = row.message.channel
            inFlight.withLock { $0[channel, default: 0] += 1 }
            Task {
                let failure = await Self.outcome(of: send, message)
                inFlight.withLock { $0[channel, default: 0] -= 1 }
                note(failure, of: row)
                ring.yield()
            }
        }
    }

    private static func outcome(
        of send: @Sendable (ComposedMessage) async throws(MessageFailure) -> Void,
        _ message: ComposedMessage
    ) async -> MessageFailure? {
        do {
            try await send(message)
            return nil
        } catch {
            return error
        }
    }

    /// Stores the outcome of a try to send; if the outcome can't be stored, the message is sent again after its lease.
    private func note(_ failure: MessageFailure?, of row: OutgoingMessageTable.Due) {
        do {
            try environment.work(publishedBy: .session) { work in
                let provider = name(of: row.message.channel)
                if let failure {
                    try outcomes.failed(row, failure, by: provider, in: &work)
                } else {
                    try outcomes.sent(row, by: provider, in: &work)
                }
            }
        } catch {
            logger.warning("The outcome of a message can't be stored", because: error)
        }
    }

    private func write(_ message: OutgoingMessage, _ text: MessageText?) {
        var metadata: Logger.Metadata = [
            "message.id": "\(message.id)", "channel": "\(message.channel.rawValue)",
            "template": "\(message.template.rawValue)",
        ]
        guard let text else { return logger.notice("A message was created but not sent", metadata: metadata) }
        metadata["to"] = "\(message.fullAddress)"
        metadata["text"] = "\(message.channel == .sms ? text.sms : text.text)"
        logger.notice("DEVELOPMENT ONLY: a message that was not sent", metadata: metadata)
    }
}
