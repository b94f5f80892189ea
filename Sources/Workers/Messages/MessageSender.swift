package import Domain
package import Logging
import Providers
import Storage
import Synchronization
import Wire

/// The sender of queued e-mails, text messages and pushes.
///
/// Messages are leased in small transactions before they are sent. If a message's outcome is not stored, the message is
/// due again when its lease ends or when the service restarts. Therefore, each message is sent at least once. The
/// sender runs in the process of the session worker, which publishes the sender's MQTT messages.
package final class MessageSender: Sendable {
    private let environment: Environment
    private let routes: [OutgoingMessage.Channel: Route]
    private let logger: Logger
    private let wakeup: AsyncStream<Void>
    private let ring: AsyncStream<Void>.Continuation
    private let inFlight = Mutex<[OutgoingMessage.Channel: Int]>([:])
    private let tried = Mutex(Tried())

    /// The attempts whose outcomes have not been stored yet.
    private struct Tried {
        /// The messages, each with the reason why it could not be sent, or nil if it was sent.
        var rows: [(row: OutgoingMessageTable.Due, failure: MessageFailure?)] = []
        /// Whether a task is storing outcomes.
        var isStoring = false
    }

    /// The action to carry out for a message after the commit.
    private enum Step {
        case send(OutgoingMessageTable.Due, @Sendable () async throws(MessageFailure) -> Void)
        case log(OutgoingMessage, MessageText?)
    }

    /// Prepares a sender; messages of a channel that has no route in `routes` are published for gateways.
    package init(_ environment: Environment, routes: [OutgoingMessage.Channel: Route], logger: Logger) {
        (self.environment, self.routes, self.logger) = (environment, routes, logger)
        (wakeup, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    private var outcomes: MessageOutcomes { environment.messageOutcomes }

    private func name(of message: OutgoingMessage) -> String {
        message.push?.address.kind.rawValue ?? (routes[message.channel] ?? .gateway).name(of: message.channel)
    }

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

    /// Retries messages now if they could not be sent before the restart, since an operator may have fixed the cause.
    private func resume() {
        // If several processes share the work, another process may be sending these messages.
        guard !environment.plan.isShared else { return }
        do { try environment.store.batch(at: environment.clock.now) { tx in try tx.outgoingMessages.resume() } } catch {
            logger.warning("Unsent messages can't be retried immediately; they wait for their next try", because: error)
        }
    }

    /// Ends `run`; messages that are being sent get two more seconds.
    package func stop() { ring.finish() }

    private func drain() async {
        for _ in 0..<100 where inFlight.withLock({ $0.values.contains { $0 > 0 } }) {
            try? await Task.sleep(for: .milliseconds(20))
        }
        environment.pushes.shutdown()
    }

    /// Runs a round, and returns the time until the next one, at most 1 s.
    func round() -> Duration {
        guard environment.leadership.isHeld else { return .milliseconds(200) }
        do {
            let now = environment.clock.now
            if let due = try next(), due <= now { try OutgoingMessage.Channel.allCases.forEach(takeUp) }
            let left = try next().map { $0.milliseconds - environment.clock.now.milliseconds } ?? 1000
            return .milliseconds(min(1000, max(5, left)))
        } catch {
            logger.warning("Messages can't be read from the store", because: error)
            return .seconds(1)
        }
    }

    private func next() throws -> Instant? {
        try environment.store.read { tx in
            let free = OutgoingMessage.Channel.allCases.filter { room($0) > 0 }
            let due = try free.map { try tx.outgoingMessages.nextDue($0) }
            return (due + [try tx.outgoingMessages.nextExpiry()]).compactMap(\.self).min()
        }
    }

    private func room(_ channel: OutgoingMessage.Channel) -> Int {
        var max = environment.limits.pushesAtOnce
        if channel != .push {
            guard case .direct = routes[channel] else { return environment.limits.messagePage }
            max = environment.limits.messagesAtOnce
        }
        return max - inFlight.withLock { $0[channel] ?? 0 }
    }

    // MARK: Taking up

    private func takeUp(_ channel: OutgoingMessage.Channel) throws {
        let room = room(channel)
        let steps = try environment.work(publishedBy: .session) { work in
            let limits = work.limits
            for row in try work.tx.outgoingMessages.takeExpired(limit: limits.messagePage) {
                try outcomes.expired(row, by: name(of: row.message), in: &work)
            }
            guard room > 0 else { return [Step]() }
            return try work.tx.outgoingMessages.claim(channel, leaseSeconds: limits.messageLease, limit: room)
                .compactMap { row in try decide(row, in: &work) }
        }
        for step in steps { carryOut(step) }
    }

    /// Decides about a due message, and returns what to do after the commit.
    private func decide(_ row: OutgoingMessageTable.Due, in work: inout UnitOfWork) throws -> Step? {
        if row.message.isDummy {
            try outcomes.stand(row, in: &work)
            return nil
        }
        if let push = row.message.push { return try decide(row, push, in: &work) }
        let appName = try work.app(row.message.app)?.name ?? row.message.app.text
        switch routes[row.message.channel] ?? .gateway {
        case .gateway:
            let language = Language.pick(tag: row.message.language, countryCode: row.message.countryCode)
            let content = OutgoingMessageCodec.outbound(row.message, language: language, appName: appName)
            try publish(row, content, in: &work)
            return nil
        case .log(let showsText):
            try outcomes.sent(row, by: Route.logName, isShown: showsText, in: &work)
            let text = try showsText ? words(row.message, appName: appName, in: work) : nil
            return .log(row.message, text)
        case .direct(let send):
            let text = try words(row.message, appName: appName, in: work)
            let message = ComposedMessage(row.message, appName: appName, text: text)
            return .send(row) { () async throws(MessageFailure) in try await send(message) }
        }
    }

    /// Decides about a due push, and returns what to do after the commit.
    private func decide(
        _ row: OutgoingMessageTable.Due,
        _ push: OutgoingPush,
        in work: inout UnitOfWork
    ) throws -> Step? {
        let message = row.message
        guard let app = try work.app(message.app), let key = work.tx.webPushKey(of: app.id) else {
            return .send(row) { () async throws(MessageFailure) in throw .final("The app does not exist.") }
        }
        guard push.address.kind != .gateway else {
            try publish(row, OutgoingMessageCodec.outbound(message, push, from: app), in: &work)
            return nil
        }
        var delivery = PushDelivery(push, message: message.id, from: app, key: key, expiresAt: message.expiresAt)
        // If the session or the address has been deleted meanwhile, the push has been deleted, too.
        delivery.mayBegin = { [environment] in
            let isDue = try? environment.store.read { tx in try tx.outgoingMessages.isDue(row.tries, message.id) }
            return environment.leadership.isHeld && isDue == true
        }
        return .send(row) { [pushes = environment.pushes, delivery] () async throws(MessageFailure) in
            try await pushes.send(delivery)
        }
    }

    private func words(_ message: OutgoingMessage, appName: String, in work: UnitOfWork) throws -> MessageText {
        let own = try work.tx.apps.document(message.app).map(AppWords.init)
        return MessageText.render(message, appName: appName) { own?.words($0.rawValue, $1) }
    }

    /// Publishes a message for a gateway, and plans a repeat if no answer comes.
    private func publish(_ row: OutgoingMessageTable.Due, _ content: [UInt8], in work: inout UnitOfWork) throws {
        let limits = work.limits
        if row.tries > 1 {
            outcomes.isSilent(row.message.channel)
            let silence = "No gateway has confirmed the push; see whether one is connected."
            if row.message.channel == .push { try work.tx.outgoingMessages.note(row.message.id, error: silence) }
        }
        let topic = work.topics.system("outbound/\(row.message.channel.rawValue)")
        let message = OutboundMessage(topic, content, expiresAt: row.message.expiresAt)
        work.effects.publish(message, isSecret: true)
        let (first, max) = (limits.gatewayPatience, limits.messageBackoffMax)
        let pause = MessageOutcomes.pause(after: row.tries, first: first, max: max)
        try work.tx.outgoingMessages.postpone(row.message.id, until: work.now.adding(seconds: pause))
    }

    // MARK: Handing over

    private func carryOut(_ step: Step) {
        switch step {
        case .log(let message, let text): write(message, text)
        case .send(let row, let send):
            let channel = row.message.channel
            inFlight.withLock { $0[channel, default: 0] += 1 }
            Task {
                var failure: MessageFailure?
                do throws(MessageFailure) { try await send() } catch { failure = error }
                tried.withLock { $0.rows.append((row, failure)) }
                settle()
                inFlight.withLock { $0[channel, default: 0] -= 1 }
                ring.yield()
            }
        }
    }

    /// Stores many outcomes in one transaction, unless another task is storing outcomes.
    private func settle() {
        let isFirst = tried.withLock { !exchange(&$0.isStoring, with: true) }
        while isFirst {
            let rows = tried.withLock { tried in
                tried.isStoring = !tried.rows.isEmpty
                return exchange(&tried.rows, with: [])
            }
            guard !rows.isEmpty else { return }
            store(rows)
        }
    }

    /// Stores the outcomes of messages.
    ///
    /// If the outcomes can't be stored, the messages are sent again later.
    private func store(_ rows: [(row: OutgoingMessageTable.Due, failure: MessageFailure?)]) {
        do {
            try environment.work(publishedBy: .session) { work in
                try work.tx.lock(users: rows.compactMap(\.row.message.push?.address.uid))
                for (row, failure) in rows {
                    if let failure {
                        try outcomes.failed(row, failure, by: name(of: row.message), in: &work)
                    } else {
                        try outcomes.sent(row, by: name(of: row.message), in: &work)
                    }
                }
            }
        } catch {
            logger.warning("The outcomes of messages can't be stored", because: error)
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
