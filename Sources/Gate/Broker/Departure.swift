import CMosquittoBroker

/// The reasons for the end of a connection, as listed in `schemas/lists/connection-ends.yaml`.
extension Departure {
    /// Determines the reason for the end of a connection.
    ///
    /// Mosquitto 2.0.11 always passes -1 as the reason. The gate must therefore read from the broker's memory whether a
    /// DISCONNECT has arrived. If another version passes a reason, the gate uses that reason.
    init(_ client: OpaquePointer, reason: Int32) {
        switch reason {
        case MOSQ_ERR_SUCCESS.rawValue: self = .closed
        case MOSQ_ERR_ADMINISTRATIVE_ACTION.rawValue: self = .kicked
        case -1: self = PrivateStructure.hasSaidDisconnect(client) ? .closed : .lost
        default: self = .lost
        }
    }
}
