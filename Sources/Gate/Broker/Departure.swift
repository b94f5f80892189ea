import CMosquittoBroker

/// The reasons are the entries of `schemas/lists/connection-ends.yaml`.
extension Departure {
    /// Determines why the broker ends a connection.
    ///
    /// Mosquitto 2.0.11 always gives plugins the reason -1; only its memory shows whether it received a DISCONNECT.
    /// Versions that give the reason are trusted.
    init(_ client: OpaquePointer, reason: Int32) {
        switch reason {
        case MOSQ_ERR_SUCCESS.rawValue: self = .closed
        case MOSQ_ERR_ADMINISTRATIVE_ACTION.rawValue: self = .kicked
        case -1: self = PrivateStructure.hasSaidDisconnect(client) ? .closed : .lost
        default: self = .lost
        }
    }
}
