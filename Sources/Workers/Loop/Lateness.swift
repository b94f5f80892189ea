import DequeModule
import Domain
import Wire

/// A worker's delay: how long the oldest message has waited at the broker, in the queue or in the outbox.
///
/// The worker can't count the messages at the broker. Instead, the worker sends itself an echo each second. Echoes wait
/// in the same queues as other messages.
///
/// The gate also uses the status worker's echoes, to count devices' unprocessed messages (`Backlog`). Only an echo can
/// tell the gate that messages have been processed. Therefore, while messages are still arriving, the status worker
/// sends the next echo early. It does so only after it has handled all messages that arrived before its previous echo.
struct Lateness {
    private let worker: WorkerName
    private let name: String
    /// The number of the worker's lanes.
    private let lanes: Int
    private let topic: String
    private let limits: Limits
    private let metrics: WorkerMetrics
    private let health: Health
    /// The echoes that have not returned, each with a unique number.
    private var echoes = Deque<(number: Int64, at: ContinuousClock.Instant)>()
    private var lastNumber: Int64
    private var lastEcho = ContinuousClock.now
    /// An echo that has returned while some messages that arrived before the echo are still unfinished.
    private var returned: (number: Int64, at: ContinuousClock.Instant)?
    /// The number of the newest echo that has returned and has no unfinished messages before it.
    private var seen: Int64 = 0
    /// The number of echoes that must still be sent early.
    ///
    /// After messages have arrived, two echoes are sent early. The first echo returns after these messages. The second
    /// echo tells the gate that the messages before the first echo are done.
    private var hasten = 0
    private var nextLook = ContinuousClock.now
    private var isLate = false

    /// The maximum number of outstanding echoes, since more echoes would not improve the measurement.
    private static let echoesMax = 60
    /// The minimum time between two echoes.
    private static let gap = Duration.milliseconds(50)
    private static let lookInterval = Duration.milliseconds(200)

    init(_ worker: WorkerName, _ environment: Environment, metrics: WorkerMetrics) {
        self.worker = worker
        self.metrics = metrics
        name = environment.lane(of: worker).name
        lanes = environment.plan.count(of: worker)
        topic = environment.topics.system("echo/\(name)")
        limits = environment.limits
        health = environment.health
        // Echoes of the previous run may still arrive, so this run's echoes must have other numbers.
        lastNumber = environment.clock.now.milliseconds
    }

    /// The filters for the worker's echoes.
    var filters: [String] { limits.echoInterval > .zero ? [topic] : [] }

    /// Removes returned echoes from a batch.
    mutating func takeEchoes(from batch: [Inbound]) -> [Inbound] {
        let hasEcho = batch.contains(where: isEcho)
        if worker == .status, batch.count > (hasEcho ? 1 : 0) { hasten = 2 }
        guard hasEcho else { return batch }
        return batch.filter { message in
            guard isEcho(message) else { return true }
            if let number = SystemCodec.decode(echo: message.payload) { confirmEcho(number) }
            return false
        }
    }

    private func isEcho(_ message: Inbound) -> Bool {
        message.topic.count == topic.utf8.count && message.topic.elementsEqual(topic.utf8)
    }

    /// Records that an echo has returned; earlier echoes that haven't returned are regarded as lost.
    private mutating func confirmEcho(_ number: Int64) {
        while let first = echoes.first, first.number <= number { _ = echoes.popFirst() }
        if returned == nil, number > seen { returned = (number, .now) }
    }

    /// Measures the delay, reports lateness, and returns the next echo if one is due.
    ///
    /// `queued` is the arrival time of the oldest unfinished message. `unpublished` is the time of the oldest
    /// unconfirmed outbox row.
    mutating func measure(queued: ContinuousClock.Instant?, unpublished: ContinuousClock.Instant?) -> OutboundMessage? {
        let now = ContinuousClock.now
        if let back = returned, queued.map({ $0 > back.at }) ?? true { (seen, returned) = (back.number, nil) }
        if now >= nextLook {
            nextLook = now + Self.lookInterval
            let oldest = [queued, unpublished, echoes.first?.at].compactMap(\.self).min()
            reportHealth(oldest.map { now - $0 } ?? .zero)
        }
        guard limits.echoInterval > .zero, now >= nextEcho, echoes.count < Self.echoesMax else { return nil }
        lastEcho = now
        hasten = max(0, hasten - 1)
        lastNumber += 1
        echoes.append((lastNumber, now))
        return OutboundMessage(topic, SystemCodec.echo(lastNumber, seen: seen, lanes: lanes))
    }

    private var mayHasten: Bool { hasten > 0 && seen == lastNumber }

    private var nextEcho: ContinuousClock.Instant {
        lastEcho + (mayHasten ? min(Self.gap, limits.echoInterval) : limits.echoInterval)
    }

    /// The time until the next early echo must be sent, or nil if no echo must be sent early.
    var pause: Duration? {
        guard limits.echoInterval > .zero, mayHasten else { return nil }
        return max(.milliseconds(1), nextEcho - .now)
    }

    private mutating func reportHealth(_ age: Duration) {
        metrics.oldestUnanswered(age)
        guard age > limits.lateAfter else {
            if isLate { health.ready(name) }
            isLate = false
            return
        }
        isLate = true
        let seconds = age.components.seconds
        health.notReady(name, "its oldest unanswered message is \(seconds) s old")
    }
}
