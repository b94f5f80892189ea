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
    /// The source address of a request or registration, as the gate states it: an IPv4 address or
    /// an IPv6 /64; nil if the address is exempt (127.0.0.1, ::1) or unknown.
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
/// A batch may run again after a failure, as a whole or in parts: the handler's state in memory
/// must then be valid again.
package protocol BatchHandler {
    /// The worker.
    var name: WorkerName { get }
    /// The filters that the worker subscribes to.
    var subscriptions: Subscriptions { get }

    /// The methods that read a lot, such as `device/history`; their requests wait behind all
    /// others.
    var longReadings: [String] { get }
    /// Whether a batch is only for other workers, so that it is acknowledged without a transaction.
    ///
    /// The decision doesn't read the store.
    func isForOthers(_ batch: [Inbound]) -> Bool
    /// Splits a batch into parts, each with a transaction if other processes write to the database.
    ///
    /// Within a part, locks are taken in one order.
    func parts(of batch: [Inbound]) -> [[Inbound]]
    /// Whether more requests whose slow work is done wait for a transaction.
    var canRelease: Bool { get }
    /// Carries out a batch in one transaction and returns its effects.
    mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Effects
    /// Carries out due work, and work left by other workers; returns nil if there is none.
    mutating func due(in tx: Transaction) throws -> Effects?
    /// Whether `due` has work, decided cheaply and without writing.
    func isDue(in tx: Transaction) throws -> Bool
    /// The latest time at which `due` has work next; nil if only other workers can cause it.
    var nextDue: Instant? { get }
    /// Whether requests wait for slow work.
    var isAwaiting: Bool { get }
    /// Returns the refusal of a message that the service failed on, or whose MQTT properties don't
    /// fit.
    ///
    /// It is nil if the message isn't this worker's, if its sender doesn't wait for an answer, or
    /// if the sender can't be addressed.
    func refusal(of message: Inbound, _ rejection: Rejection) -> OutboundMessage?
    /// Prepares after connecting to a broker, which may have lost its state; returns messages for
    /// the broker itself.
    mutating func connected(isSessionPresent: Bool, in tx: Transaction) throws -> [OutboundMessage]
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
    package var longReadings: [String] { [] }
    package func isForOthers(_ batch: [Inbound]) -> Bool { false }
    package func parts(of batch: [Inbound]) -> [[Inbound]] { batch.isEmpty ? [] : [batch] }
    package var canRelease: Bool { false }
    package var nextDue: Instant? { nil }
    package var isAwaiting: Bool { false }
    package func refusal(of message: Inbound, _ rejection: Rejection) -> OutboundMessage? { nil }
    package mutating func connected(
        isSessionPresent: Bool,
        in tx: Transaction
    ) throws -> [OutboundMessage] { [] }
}
