package import Domain
package import Storage
import Wire

/// One message of a batch, as slices of the batch's bytes.
package struct Inbound {
    /// The topic of the message.
    package let topic: ArraySlice<UInt8>
    /// The payload of the message.
    package let payload: ArraySlice<UInt8>
    /// The topic for the answer, if the sender wants one.
    package let responseTopic: ArraySlice<UInt8>?
    /// The MQTT 5 correlation data, if any.
    package let correlation: ArraySlice<UInt8>?
    /// The IPv4 address or IPv6 /64 network that sent a request or registration.
    ///
    /// The value is nil if the source is unknown or is exempt from limits (127.0.0.1, ::1).
    package var sourceAddress: String?
    /// Whether the message's correlation data was too long and was removed.
    package var isCorrelationTooLong = false
    /// Whether the broker had retained the message.
    package let isRetained: Bool
    /// The time at which the message was received; nil in tests.
    var arrivedAt: ContinuousClock.Instant?
    /// The value of the message's user property `traceparent`, if any.
    var traceparent: ArraySlice<UInt8>?

    /// The trace id in `traceparent`, or nil if there is no valid id.
    var trace: TraceID? { traceparent.flatMap { TraceID(traceparent: $0) } }

    /// The topic for dead letters and logs, with `*` in place of invalid names.
    package var topicText: String { Topics.shown(topic) }
}

/// A handler of the messages of one worker.
///
/// After a failure, a batch may run again, whole or in parts. A failed run doesn't change the handler's state.
package protocol BatchHandler {
    /// The worker's name and its subscriptions.
    var role: WorkerRole { get }
    /// Prepares the handler for a new connection, and returns messages to send.
    mutating func connected(isSessionPresent: Bool, in tx: Transaction) throws -> [OutboundMessage]
    /// Splits a batch into parts, one for each transaction.
    ///
    /// A batch without parts is acknowledged without a transaction. If no other process writes (`isShared` is false),
    /// there is at most one part. A batch that is only for other workers has no parts. Within a part, locks are taken
    /// in a fixed order.
    func parts(of batch: [Inbound], isShared: Bool) -> [[Inbound]]
    /// Carries out a batch in one transaction and returns its effects.
    mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Effects
    /// Returns the work that waits in memory and, if there is a transaction, in the store.
    ///
    /// This method is cheap and writes nothing. If there is no transaction, it never throws.
    func waiting(in tx: Transaction?) throws -> WaitingWork
    /// Carries out due work and work that other workers left for this worker; returns nil if there was none.
    mutating func due(in tx: Transaction) throws -> Effects?
}

/// A worker's name, its subscriptions, and its methods that read a lot of data.
package struct WorkerRole: Sendable {
    /// The worker's name.
    package let name: WorkerName
    /// The topic filters that the worker subscribes to.
    package let subscriptions: Subscriptions
    /// The methods that read much data, such as `device/history`, and are served last.
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

/// The work that a handler still has to do.
package struct WaitingWork {
    /// The time at which `due` must be called, or nil if the handler knows of no coming work.
    package var nextDue: Instant?
    /// Whether the slow work of a waiting request is done and only the transaction is left.
    package var canRelease: Bool
    /// Whether a request is waiting for slow work.
    package var isAwaiting: Bool

    /// The value of `nextDue` for work that is due immediately.
    package static let atOnce = Instant(milliseconds: 0)

    /// Describes the waiting work; by default, no work is waiting.
    package init(nextDue: Instant? = nil, canRelease: Bool = false, isAwaiting: Bool = false) {
        self.nextDue = nextDue
        self.canRelease = canRelease
        self.isAwaiting = isAwaiting
    }

    /// Returns whether some of the work can be done now.
    func isDue(at now: Instant) -> Bool { canRelease || nextDue.map { $0 <= now } ?? false }
}

/// The filters of a worker's subscriptions.
package struct Subscriptions: Equatable, Sendable {
    /// The filters whose new messages the worker handles.
    package var new: [String] = []
    /// The filters whose messages the broker drops while the worker is disconnected.
    package var fleeting: [String] = []
    /// The filters whose retained messages the worker also needs each time it connects.
    package var retained: [String] = []
    /// The filters whose retained messages the worker needs only after the loss of its MQTT session.
    package var swept: [String] = []
}

extension BatchHandler {
    package func parts(of batch: [Inbound], isShared: Bool) -> [[Inbound]] { batch.isEmpty ? [] : [batch] }
    package mutating func connected(isSessionPresent: Bool, in tx: Transaction) throws -> [OutboundMessage] { [] }

    /// Returns whether all messages of a batch are for other workers.
    func isForOthers(_ batch: [Inbound]) -> Bool { !batch.isEmpty && parts(of: batch, isShared: false).isEmpty }
}
