package import Domain
package import Logging
import Storage
import Synchronization
import Wire

/// Sends queued e-mails and texts: leases them in small transactions, hands them over outside of these, and stores
/// the outcome.
///
/// A message that was leased and not settled when the process ended is due again after the restart, and at the latest
/// when its lease is over: each message is sent at least once. It runs in the process of the session worker, which
/// publishes for it.
package final class DeliveryService: Sendable {
    private let environment: Environment
    private let routes: [Delivery.Channel: Route]
    private let logger: Logger
    private let bell: AsyncStream<Void>
    private let ring: AsyncStream<Void>.Continuation
    private let inFlight = Mutex<[Delivery.Channel: Int]>([:])

    /// The action that follows the commit.
    private enum Step {
        case send(DeliveryTable.Due, OutgoingMessage)
        case log(Delivery, MessageText?)
    }

    /// Prepares a service; a channel without a route goes to gateways.
    package init(
        _ environment: Environment,
        routes: [Delivery.Channel: Route],
        logger: Logger
    ) {
        self.environment = environment
        self.routes = routes
        self.logger = logger
        (bell, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    private var desk: DeliveryDesk { environment.deliveryDesk }

    // MARK: The loop

    /// Runs until `stop` or until the task is cancelled.
    package func run() async {
        let ring = ring
        resume()
        environment.store.onDelivery { ring.yield() }
        ring.yield()
        var timer: Task<Void, Never>?
        for await _ in bell {
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

    /// Makes the previous process's messages due at once: an operator may have fixed the cause of their wait.
    private func resume() {
        do {
            try environment.store.batch(at: environment.clock.now) { tx in
                try tx.deliveries.resume()
            }
        } catch {
            logger.warning(
                "Messages of the last run wait for their time",
                metadata: ["error": "\(StoreError.summary(error))"]
            )
        }
    }

    /// Ends `run`; messages under way get a moment to complete.
    package func stop() { ring.finish() }

    private func drain() async {
        for _ in 0..<100 where inFlight.withLock({ $0.values.contains { $0 > 0 } }) {
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Runs one round; returns the time until the next message is due.
    ///
    /// At most a second: another process may leave messages too.
    func round() -> Duration {
        do {
            let now = environment.clock.now
            if try hasWork(at: now) {
                for channel in Delivery.Channel.allCases { try takeUp(channel) }
            }
            let next = try environment.store.read { tx in try self.next(in: tx) }
            let left = next.map { $0.milliseconds - environment.clock.now.milliseconds } ?? 1000
            return .milliseconds(min(1000, max(5, left)))
        } catch {
            logger.warning(
                "Messages can't be taken up",
                metadata: ["error": "\(StoreError.summary(error))"]
            )
            return .seconds(1)
        }
    }

    private func hasWork(at now: Instant) throws -> Bool {
        try environment.store.read { tx in try self.next(in: tx) }.map { $0 <= now } ?? false
    }

    private func next(in tx: Transaction) throws -> Instant? {
        let due = try Delivery.Channel.allCases.filter { room($0) > 0 }
            .compactMap { try tx.deliveries.nextDue($0) }
        return (due + [try tx.deliveries.nextExpiry()].compactMap(\.self)).min()
    }

    private func room(_ channel: Delivery.Channel) -> Int {
        guard case .direct = routes[channel] else { return environment.limits.deliveryPage }
        return environment.limits.deliveriesAtOnce - inFlight.withLock { $0[channel] ?? 0 }
    }

    // MARK: Taking up

    private func takeUp(_ channel: Delivery.Channel) throws {
        let room = room(channel)
        let steps = try commit { tx, owed in
            let limits = environment.limits
            for row in try tx.deliveries.takeExpired(limit: limits.deliveryPage) {
                desk.expired(row, environment.topics, owed: &owed)
            }
            guard room > 0 else { return [Step]() }
            return try tx.deliveries.claim(
                channel,
                leaseSeconds: limits.deliveryLease,
                limit: room
            ).compactMap { row in try decide(row, in: tx, owed: &owed) }
        }
        for step in steps { carryOut(step) }
    }

    /// Decides on a due message; returns the action after the commit.
    private func decide(
        _ row: DeliveryTable.Due,
        in tx: Transaction,
        owed: inout Owed
    ) throws -> Step? {
        if row.delivery.isDummy {
            try desk.stand(row, environment, in: tx, owed: &owed)
            return nil
        }
        let appName = try tx.apps.find(row.delivery.app)?.name ?? row.delivery.app.text
        switch routes[row.delivery.channel] ?? .gateway {
        case .gateway:
            try publish(row, appName, in: tx, owed: &owed)
            return nil
        case .log(let showsText):
            try desk.sent(row, environment.topics, in: tx, owed: &owed)
            let text = try showsText ? words(row.delivery, appName, in: tx) : nil
            return .log(row.delivery, text)
        case .direct:
            let text = try words(row.delivery, appName, in: tx)
            return .send(row, OutgoingMessage(row.delivery, appName: appName, text: text))
        }
    }

    private func words(
        _ delivery: Delivery,
        _ appName: String,
        in tx: Transaction
    ) throws -> MessageText {
        let own = try tx.apps.document(delivery.app).map(AppWords.init)
        return MessageText.render(delivery, appName: appName) { own?.words($0, $1) }
    }

    private func publish(
        _ row: DeliveryTable.Due,
        _ appName: String,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        let limits = environment.limits
        if row.tries > 1 { desk.isSilent(row.delivery.channel) }
        let language = Language.pick(
            tag: row.delivery.language,
            countryCode: row.delivery.countryCode
        )
        owed.publish(
            OutboundMessage(
                environment.topics.system("outbound/\(row.delivery.channel.rawValue)"),
                DeliveryCodec.outbound(row.delivery, language: language, appName: appName),
                expiresAt: row.delivery.expiresAt
            ),
            isSecret: true
        )
        let pause = DeliveryDesk.pause(after: row.tries, limits.gatewayPatience, limits)
        try tx.deliveries.postpone(row.delivery.id, until: tx.now.adding(seconds: pause))
    }

    // MARK: Handing over

    private func carryOut(_ step: Step) {
        switch step {
        case .log(let delivery, let text): write(delivery, text)
        case .send(let row, let message):
            guard case .direct(let send) = routes[row.delivery.channel] else { return }
            let channel = row.delivery.channel
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
        of send: @Sendable (OutgoingMessage) async throws(DeliveryFailure) -> Void,
        _ message: OutgoingMessage
    ) async -> DeliveryFailure? {
        do {
            try await send(message)
            return nil
        } catch {
            return error
        }
    }

    /// Stores the outcome of a try; if that fails too, the message is tried again after its lease.
    private func note(_ failure: DeliveryFailure?, of row: DeliveryTable.Due) {
        do {
            try commit { tx, owed in
                if let failure {
                    try desk.failed(row, failure, environment, in: tx, owed: &owed)
                } else {
                    try desk.sent(row, environment.topics, in: tx, owed: &owed)
                }
            }
        } catch {
            logger.warning(
                "The outcome of a message can't be stored",
                metadata: ["error": "\(StoreError.summary(error))"]
            )
        }
    }

    private func write(_ delivery: Delivery, _ text: MessageText?) {
        var metadata: Logger.Metadata = [
            "message.id": "\(delivery.id)", "channel": "\(delivery.channel.rawValue)",
            "template": "\(delivery.template.rawValue)",
        ]
        guard let text else {
            return logger.notice("A message was made and not sent", metadata: metadata)
        }
        metadata["to"] = "\(delivery.fullAddress)"
        metadata["text"] = "\(delivery.channel == .sms ? text.sms : text.text)"
        logger.notice("DEVELOPMENT ONLY, a message that was not sent", metadata: metadata)
    }

    /// Runs a transaction; the session worker publishes the messages that it owes.
    private func commit<Value>(
        _ body: (Transaction, inout Owed) throws -> Value
    ) throws -> Value {
        var isOwing = false
        let value = try environment.store.batch(at: environment.clock.now) { tx in
            var owed = Owed()
            let value = try body(tx, &owed)
            if !owed.messages.isEmpty {
                isOwing = true
                _ = try tx.outbox.add(
                    owed.messages,
                    by: WorkerName.session.rawValue,
                    isSecret: true
                )
            }
            return value
        }
        if isOwing { environment.neighbours.wake(.session) }
        return value
    }
}
