package import Domain
package import Storage
package import Wire

/// The effects after a batch's commit: messages, dead letters, slow work and wakeups.
package struct Effects {
    /// The messages to publish in order; each message is stored until the broker confirms it.
    package private(set) var messages: [OutboundMessage] = []
    /// The entries of the event log, in order.
    package private(set) var events: [LoggedEvent] = []
    /// The dead letters to store.
    package private(set) var deadLetters: [DeadLetter.Draft] = []
    /// The messages that are published once, without the outbox, since their loss is harmless.
    private(set) var signals: [OutboundMessage] = []
    /// The answers to reads, published without the outbox, because a client without an answer asks again.
    private(set) var readings: [OutboundMessage] = []
    /// The answer topics of requests whose reserved budget is refunded.
    private(set) var settled: [String] = []
    /// True if a message contains a token, a code or a secret.
    package private(set) var isSecret = false
    /// The workers to wake because they have new work.
    package private(set) var woken: Set<Call> = []

    /// A wakeup of all lanes of a worker, or only of the lane that handles the messages for an id.
    package struct Call: Hashable, Sendable {
        /// The worker to wake.
        package var worker: WorkerName
        /// The id whose lane is woken; if nil, all lanes are woken.
        package var id: String?

        /// Creates a wakeup of the lane that handles `id`, or of all lanes if `id` is nil.
        package init(_ worker: WorkerName, of id: String? = nil) {
            self.worker = worker
            self.id = id
        }
    }
    /// The slow work that begins after the commit.
    private(set) var jobs: [BackgroundJob] = []
    /// The number of refusals for each reason, for the metrics.
    package private(set) var rejected: [String: Int] = [:]
    /// The number of history records that were not kept, for the metrics.
    package private(set) var droppedHistory = 0
    /// The observations for metrics and logs.
    var observed = Observations()

    /// Creates empty effects.
    package init() {}

    /// Adds a message to publish.
    package mutating func publish(_ message: OutboundMessage, isSecret: Bool = false) {
        messages.append(message)
        if isSecret { self.isSecret = true }
    }

    /// Adds a payload to publish on a topic.
    package mutating func publish(_ payload: [UInt8], to topic: String) { publish(OutboundMessage(topic, payload)) }

    /// Adds an entry of the event log.
    mutating func log(_ event: LoggedEvent) { events.append(event) }

    /// Adds the answer to a request that only reads.
    mutating func publish(reading message: OutboundMessage) { readings.append(message) }

    /// Records that a request with reserved budget has been answered.
    mutating func settle(_ topic: String) { settled.append(topic) }

    /// Adds a message that is published once, without the outbox, since its loss does no harm.
    mutating func signal(_ message: OutboundMessage) { signals.append(message) }

    /// Wakes another worker after the commit.
    package mutating func wake(_ worker: WorkerName) { woken.insert(Call(worker)) }

    /// After the commit, wakes the worker's lane that handles a device's messages.
    package mutating func wake(_ worker: WorkerName, of did: DeviceID) { woken.insert(Call(worker, of: did.text)) }

    /// Adds a dead letter with the given topic and payload.
    package mutating func deadLetter(
        _ kind: DeadLetter.Draft.Kind,
        _ reason: String,
        topic: String,
        payload: [UInt8],
        isShapeOnly: Bool = false,
        trace: TraceID? = nil
    ) {
        deadLetters.append(
            DeadLetter.Draft(
                kind: kind,
                reason: Rejection.shown(reason, upTo: Rejection.messageMax),
                topic: topic,
                payload: payload,
                isShapeOnly: isShapeOnly,
                trace: trace
            )
        )
    }

    /// Makes a dead letter of a message; if `isSecret` is true, the dead letter doesn't contain the message's values.
    ///
    /// If `trace` is nil, the dead letter gets the message's trace, which can also be nil.
    package mutating func deadLetter(
        _ message: Inbound,
        _ kind: DeadLetter.Draft.Kind,
        because reason: String,
        isSecret: Bool = false,
        trace: TraceID? = nil
    ) {
        deadLetter(
            kind,
            reason,
            topic: message.topicText,
            payload: isSecret ? Payload.shape(of: message.payload) : Array(message.payload.prefix(Payload.bytesMax)),
            isShapeOnly: isSecret,
            trace: trace ?? message.trace
        )
    }

    /// Makes a dead letter of a message on an unknown topic; the dead letter doesn't contain the message's values.
    package mutating func deadLetter(_ message: Inbound, unknownTopic reason: String) {
        deadLetter(message, .topic, because: reason, isSecret: true)
    }

    /// Makes a dead letter of an unreadable message; the dead letter doesn't contain the message's values.
    package mutating func deadLetter(_ message: Inbound, unreadable error: WireError, trace: TraceID? = nil) {
        deadLetter(message, .malformed, because: error.reason, isSecret: true, trace: trace)
        count(error.rejection)
    }

    /// Adds slow work that begins after the commit.
    mutating func submit(_ job: BackgroundJob) { jobs.append(job) }

    /// Adds the effects of `other`; the messages of `other` come after the present messages.
    mutating func merge(_ other: Effects) {
        messages += other.messages
        events += other.events
        deadLetters += other.deadLetters
        isSecret = isSecret || other.isSecret
        woken.formUnion(other.woken)
        jobs += other.jobs
        signals += other.signals
        readings += other.readings
        settled += other.settled
        if !other.rejected.isEmpty { rejected.merge(other.rejected) { $0 + $1 } }
        droppedHistory += other.droppedHistory
        observed.merge(other.observed)
    }

    /// Counts a device's history records that were not kept.
    mutating func countDroppedHistory(_ count: Int) { droppedHistory += count }

    /// Counts a refusal.
    package mutating func count(_ rejection: Rejection) { rejected[rejection.code.rawValue, default: 0] += 1 }
}

extension DeadLetter {
    /// A dead letter that has not been stored yet.
    package struct Draft: Sendable {
        /// The kind of the message's fault; the raw value is a label of the metric for dead letters.
        package enum Kind: String, Sendable {
            /// The topic is unknown.
            case topic
            /// The payload is not JSON, or breaks the rules that hold for every payload.
            case malformed
            /// The device is unknown.
            case unknownDevice
            /// The message's data doesn't fit the product, or a webhook refused the message.
            case refused
            /// The service repeatedly failed to handle the message.
            case failed
        }

        /// The kind of the message's fault.
        package var kind: Kind
        /// The reason for the dead letter, in words.
        package var reason: String
        /// The topic of the message.
        package var topic: String
        /// The payload, or the part of it that may be kept.
        package var payload: [UInt8]
        /// Whether only the names and sizes of the payload's values are kept, because the values may be secret.
        package var isShapeOnly: Bool
        /// The trace that the message's sender named, for the log.
        package var trace: TraceID?
    }
}
