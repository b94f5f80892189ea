package import Domain
package import Storage
package import Wire

/// One message of a batch, as places in the batch's bytes.
package struct Inbound {
    /// Where it was published.
    package let topic: ArraySlice<UInt8>
    /// What it says.
    package let payload: ArraySlice<UInt8>
    /// Where an answer is wanted, and with what.
    package let responseTopic: ArraySlice<UInt8>?
    /// MQTT 5 correlation data.
    package let correlation: ArraySlice<UInt8>?
    /// Where a request or registration comes from: an IPv4 address or an IPv6 /64, as the gate says it;
    /// nil where the address is exempt (127.0.0.1, ::1) or not known.
    package var sourceAddress: String?
    /// Whether its correlation data was too long, and is left out.
    package var isCorrelationTooLong = false
    /// Whether the broker had kept it.
    package let isRetained: Bool

    /// The topic as text, for dead letters and logs.
    ///
    /// What doesn't read like a method's name is not shown of an app's request.
    package var topicText: String { Topics.shown(topic) }
}

/// What one worker does with its messages.
///
/// A batch may be run again after a failure, as a whole or in parts: whatever a handler keeps in
/// memory must be true again then.
package protocol BatchHandler {
    /// Which worker it is.
    var name: WorkerName { get }
    /// The filters that the worker subscribes to.
    var filters: [String] { get }
    /// Filters whose retained messages it needs after connecting.
    var retainedFilters: [String] { get }
    /// Filters of which it needs what the broker keeps, once, when the session was lost.
    var sweptFilters: [String] { get }

    /// Whether a batch is for others alone, so that it is acknowledged without a transaction; told
    /// without the store.
    func isForOthers(_ batch: [Inbound]) -> Bool
    /// Carries out a batch in one transaction and says what is owed.
    mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Owed
    /// Does what is due by the clock or left by others; nil when there is nothing.
    mutating func due(in tx: Transaction) throws -> Owed?
    /// Tells whether `due` has something to do, cheaply and without writing.
    func isDue(in tx: Transaction) throws -> Bool
    /// When `due` has something to do next at the latest; nil when only others can bring it.
    var nextDue: Instant? { get }
    /// Whether slow work is under way whose results are still to be told.
    var isAwaiting: Bool { get }
    /// What to answer to a message on which the service fails, and which is put aside; nil where
    /// nobody waits for an answer, or none can be addressed.
    func apology(for message: Inbound) -> OutboundMessage?
    /// What refuses a request for what stands around it; nil where it isn't this worker's, or can't be
    /// answered.
    func refusal(of message: Inbound, _ rejection: Rejection) -> OutboundMessage?
    /// The connection stands: prepares for a broker that may have forgotten everything; returns
    /// messages for the broker that are owed to nobody else.
    mutating func connected(isSessionPresent: Bool, in tx: Transaction) throws -> [OutboundMessage]
    /// Messages for the broker that follow from the batch and need no outbox.
    mutating func takeSignals() -> [OutboundMessage]
}

extension Inbound {
    /// The refusal that tells the sender that the service failed on its message; nil without an id.
    var apology: [UInt8]? {
        refusal(Rejection(.internal, "The service failed on this message."))
    }
}

extension BatchHandler {
    package var retainedFilters: [String] { [] }
    package var sweptFilters: [String] { [] }
    package func isForOthers(_ batch: [Inbound]) -> Bool { false }
    package var nextDue: Instant? { nil }
    package var isAwaiting: Bool { false }
    package func apology(for message: Inbound) -> OutboundMessage? { nil }
    package func refusal(of message: Inbound, _ rejection: Rejection) -> OutboundMessage? { nil }
    package mutating func connected(
        isSessionPresent: Bool,
        in tx: Transaction
    ) throws -> [OutboundMessage] { [] }
    package mutating func takeSignals() -> [OutboundMessage] { [] }
}
