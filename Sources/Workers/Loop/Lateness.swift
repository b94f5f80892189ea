import Domain
import Wire

/// How late a worker is: the age of the oldest message that it has taken in or owes, or that still waits
/// for it at the broker.
///
/// What waits there nobody can count. So the worker sends itself an echo each second, over the connections
/// and through the queue that all others' messages take: it is as late as they are, and where the queue is
/// full it never comes, until one behind it does.
struct Lateness {
    private let worker: WorkerName
    private let topic: String
    private let limits: Limits
    private let metrics: WorkerMetrics
    private let health: Health
    /// Echoes that have not come back, each with a number that no other has.
    private var echoes = Line<(number: Int64, at: ContinuousClock.Instant)>()
    private var lastNumber: Int64
    private var nextEcho = ContinuousClock.now
    private var nextLook = ContinuousClock.now
    private var isLate = false

    /// So many that don't come back are enough to know.
    private static let echoesMax = 60
    private static let lookInterval = Duration.milliseconds(200)

    init(_ worker: WorkerName, _ environment: Environment, _ metrics: WorkerMetrics) {
        self.worker = worker
        self.metrics = metrics
        topic = environment.topics.system("echo/\(worker.rawValue)")
        limits = environment.limits
        health = environment.health
        // Not the numbers of the life before, whose echoes may still come.
        lastNumber = environment.clock.now.milliseconds
        nextEcho += environment.limits.echoInterval
    }

    /// What the worker subscribes to for its echoes.
    var filters: [String] { limits.echoInterval > .zero ? [topic] : [] }

    /// Takes echoes that have come back out of a batch.
    mutating func takeEchoes(from batch: [Inbound]) -> [Inbound] {
        guard !echoes.isEmpty || batch.contains(where: isEcho) else { return batch }
        return batch.filter { message in
            guard isEcho(message) else { return true }
            if let number = SystemCodec.decode(echo: message.payload) { note(number) }
            return false
        }
    }

    private func isEcho(_ message: Inbound) -> Bool { message.topic.elementsEqual(topic.utf8) }

    /// An echo stands for all before it, too: those that didn't come were dropped.
    private mutating func note(_ number: Int64) {
        while let first = echoes.first, first.number <= number { _ = echoes.popFirst() }
    }

    /// Measures, says whether the worker is late, and gives the next echo when it is time for one.
    ///
    /// `since` are the moments from which on other things have been waited for.
    mutating func look(since others: [ContinuousClock.Instant?]) -> OutboundMessage? {
        let now = ContinuousClock.now
        guard now >= nextLook else { return nil }
        nextLook = now + Self.lookInterval
        let oldest = (others + [echoes.first?.at]).compactMap(\.self).min()
        tell(oldest.map { now - $0 } ?? .zero)
        guard limits.echoInterval > .zero, now >= nextEcho, echoes.count < Self.echoesMax else {
            return nil
        }
        nextEcho = now + limits.echoInterval
        lastNumber += 1
        echoes.append((lastNumber, now))
        return OutboundMessage(topic, SystemCodec.echo(lastNumber))
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
