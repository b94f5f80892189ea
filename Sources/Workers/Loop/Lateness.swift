import Domain
import Wire

/// How late a worker is: the age of the oldest message that it has taken in or owes, or that still waits
/// for it at the broker.
///
/// What waits there nobody can count. So the worker sends itself an echo each second, over the connections
/// and through the queue that all others' messages take: it is as late as they are, and where the queue is
/// full it never comes, until one behind it does.
///
/// By the status worker's the gate sees how much of what devices sent is not done yet (`Backlog`), so that while
/// there is traffic they follow one another at once: the next when all that came before the last one is done.
struct Lateness {
    private let worker: WorkerName
    private let topic: String
    private let limits: Limits
    private let metrics: WorkerMetrics
    private let health: Health
    /// Echoes that have not come back, each with a number that no other has.
    private var echoes = Line<(number: Int64, at: ContinuousClock.Instant)>()
    private var lastNumber: Int64
    private var lastEcho = ContinuousClock.now
    /// An echo that came back, while what came before it is not all done.
    private var returned: (number: Int64, at: ContinuousClock.Instant)?
    /// The newest one before which everything is done.
    private var seen: Int64 = 0
    /// How many are still to follow at once: two after a message, one behind it and one that tells of that.
    private var hasten = 0
    private var nextLook = ContinuousClock.now
    private var isLate = false

    /// So many that don't come back are enough to know.
    private static let echoesMax = 60
    /// How long after an echo the next one may follow.
    private static let gap = Duration.milliseconds(50)
    private static let lookInterval = Duration.milliseconds(200)

    init(_ worker: WorkerName, _ environment: Environment, _ metrics: WorkerMetrics) {
        self.worker = worker
        self.metrics = metrics
        topic = environment.topics.system("echo/\(worker.rawValue)")
        limits = environment.limits
        health = environment.health
        // Not the numbers of the life before, whose echoes may still come.
        lastNumber = environment.clock.now.milliseconds
    }

    /// What the worker subscribes to for its echoes.
    var filters: [String] { limits.echoInterval > .zero ? [topic] : [] }

    /// Takes echoes that have come back out of a batch.
    mutating func takeEchoes(from batch: [Inbound]) -> [Inbound] {
        let hasEcho = batch.contains(where: isEcho)
        if worker == .status, batch.count > (hasEcho ? 1 : 0) { hasten = 2 }
        guard hasEcho else { return batch }
        return batch.filter { message in
            guard isEcho(message) else { return true }
            if let number = SystemCodec.decode(echo: message.payload) { note(number) }
            return false
        }
    }

    private func isEcho(_ message: Inbound) -> Bool {
        message.topic.count == topic.utf8.count && message.topic.elementsEqual(topic.utf8)
    }

    /// An echo stands for all before it, too: those that didn't come were dropped.
    private mutating func note(_ number: Int64) {
        while let first = echoes.first, first.number <= number { _ = echoes.popFirst() }
        if returned == nil, number > seen { returned = (number, .now) }
    }

    /// Measures, says whether the worker is late, and gives the next echo when it is time for one.
    ///
    /// `queued` is when the oldest message came that isn't done, `owed` from when on others are waited for.
    mutating func look(
        queued: ContinuousClock.Instant?,
        owed: ContinuousClock.Instant?
    ) -> OutboundMessage? {
        let now = ContinuousClock.now
        if let back = returned, queued.map({ $0 > back.at }) ?? true {
            (seen, returned) = (back.number, nil)
        }
        if now >= nextLook {
            nextLook = now + Self.lookInterval
            let oldest = [queued, owed, echoes.first?.at].compactMap(\.self).min()
            tell(oldest.map { now - $0 } ?? .zero)
        }
        guard limits.echoInterval > .zero, now >= nextEcho, echoes.count < Self.echoesMax else {
            return nil
        }
        lastEcho = now
        hasten = max(0, hasten - 1)
        lastNumber += 1
        echoes.append((lastNumber, now))
        return OutboundMessage(topic, SystemCodec.echo(lastNumber, seen: seen))
    }

    private var mayHasten: Bool { hasten > 0 && seen == lastNumber }

    private var nextEcho: ContinuousClock.Instant {
        lastEcho + (mayHasten ? min(Self.gap, limits.echoInterval) : limits.echoInterval)
    }

    /// How long to wait for messages at most, as an echo is to follow; nil where none is in haste.
    var pause: Duration? {
        guard limits.echoInterval > .zero, mayHasten else { return nil }
        return max(.milliseconds(1), nextEcho - .now)
    }

    private mutating func tell(_ age: Duration) {
        metrics.oldestUnanswered(age)
        guard age > limits.lateAfter else {
            if isLate { health.ready(worker.rawValue) }
            isLate = false
            return
        }
        isLate = true
        let seconds = age.components.seconds
        health.notReady(worker.rawValue, "its oldest unanswered message is \(seconds) s old")
    }
}
