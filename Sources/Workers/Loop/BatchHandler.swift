package import Domain
package import Storage
import Wire

/// One message of a batch, as slices of the batch's bytes.
package struct Inbound {
    /// The topic.
    package let topic: ArraySlice<UInt8>
    /// The payload.
    package let payload: ArraySlice<UInt8>
    /// The topic for the answer, if the sender wants one.
    package let responseTopic: ArraySlice<UInt8>?
    /// MQTT 5 correlation data.
    package let correlation: ArraySlice<UInt8>?
    /// The source address of a request or registration, as the gate states it: an IPv4 address or an IPv6 /64; nil if
    /// the address is exempt (127.0.0.1, ::1) or unknown.
    package var sourceAddress: String?
    /// Whether its correlation data was too long and was removed.
    package var isCorrelationTooLong = false
    /// Whether it is a retained message of the broker.
    package let isRetained: Bool
    /// The time of its receipt; nil in tests.
    var arrivedAt: ContinuousClock.Instant?
    /// The value of its user property `traceparent`, if any.
    var traceparent: ArraySlice<UInt8>?

    /// The trace that its sender names, if any.
    var trace: TraceID? { traceparent.flatMap { TraceID(traceparent: $0) } }

    /// The topic as text, for dead letters and logs.
    ///
    /// Parts of a request's topic that don't have the form of a method's name are hidden.
    package var topicText: String { Topics.shown(topic) }
}

/// A handler of the messages of one worker.
///
/// A batch may run again after a failure, as a whole or in parts: the handler's state in memory must then be valid
/// again.
package protocol BatchHandler {
    /// The worker and its subscriptions.
    var role: WorkerRole { get }
    /// Prepares after connecting to a broker, which may have lost its state; returns messages for the broker itself.
    mutating func connected(isSessionPresent: Bool, in tx: Transaction) throws -> [OutboundMessage]
    /// Splits a batch into parts, each with a transaction; a batch that is only for other workers has no part, and is
    /// acknowledged without a transaction.
    ///
    /// Unless other processes write to the database (`isShared`), there is at most one part. Within a part, locks are
    /// taken in one order. The decision doesn't read the store.
    func parts(of batch: [Inbound], isShared: Bool) -> [[Inbound]]
    /// Carries out a batch in one transaction and returns its effects.
    mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Effects
    /// Returns the work that waits: in memory, and with a transaction in the store as well.
    ///
    /// It is found cheaply and without writing; without a transaction, never with an error.
    func waiting(in tx: Transaction?) throws -> WaitingWork
    /// Carries out due work, and work left by other workers; returns nil if there is none.
    mutating func due(in tx: Transaction) throws -> Effects?
}

/// A worker, its subscriptions, and its methods that read a lot.
package struct WorkerRole: Sendable {
    /// The worker.
    package let name: WorkerName
    /// The filters that the worker subscribes to.
    package let subscriptions: Subscriptions
    /// The methods that read a lot, such as `device/history`; their requests wait behind all others.
    package let longReadings: [String]

    /// Describes a worker.
    package init(
        _ name: WorkerName,
        _ subscriptions: Subscriptions,
        longReadings: [String] = []
    ) {
        self.name = name
        self.subscriptions = subscriptions
        self.longReadings = longReadings
    }
}

/// The work of a handler that waits.
package struct WaitingWork {
    /// The latest time at which `due` has work next; nil if only other workers can cause it.
    package var nextDue: Instant?
    /// Whether requests whose slow work is done wait for a transaction.
    package var canRelease: Bool
    /// Whether requests wait for slow work.
    package var isAwaiting: Bool

    /// The time of work that is due at once.
    package static let atOnce = Instant(milliseconds: 0)

    /// Describes the waiting work; by default there is none.
    package init(nextDue: Instant? = nil, canRelease: Bool = false, isAwaiting: Bool = false) {
        self.nextDue = nextDue
        self.canRelease = canRelease
        self.isAwaiting = isAwaiting
    }

    /// Whether some of the work can be done now.
    func isDue(at now: Instant) -> Bool { canRelease || nextDue.map { $0 <= now } ?? false }
}

/// The filters of a worker's subscriptions.
package struct Subscriptions: Equatable, Sendable {
    /// Filters whose new messages the worker handles.
    package var new: [String] = []
    /// Filters whose retained messages the worker needs too, each time after connecting.
    package var retained: [String] = []
    /// Filters whose retained messages the worker needs once, after the session was lost.
    package var swept: [String] = []
}

extension BatchHandler {
    package func parts(of batch: [Inbound], isShared: Bool) -> [[Inbound]] { batch.isEmpty ? [] : [batch] }
    package mutating func connected(isSessionPresent: Bool, in tx: Transaction) throws -> [OutboundMessage] { [] }

    /// Whether all messages of a batch are for other workers.
    func isForOthers(_ batch: [Inbound]) -> Bool { !batch.isEmpty && parts(of: batch, isShared: false).isEmpty }
}
