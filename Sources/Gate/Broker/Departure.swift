import CMosquittoBroker

/// The reason for the end of a connection, as presence messages give it.
enum Departure: String {
    /// The client disconnected.
    case closed
    /// The client fell silent or broke the protocol, or its network failed.
    case lost
    /// The gate or an operator closed it.
    case kicked
    /// A newer connection took over its client id.
    case takenOver

    /// Determines why the broker ends a connection.
    ///
    /// Mosquitto 2.0.11 always gives plugins the reason -1; only its memory shows whether it
    /// received a DISCONNECT. Versions that give the reason are trusted.
    init(_ client: OpaquePointer, reason: Int32) {
        switch reason {
        case MOSQ_ERR_SUCCESS.rawValue: self = .closed
        case MOSQ_ERR_ADMINISTRATIVE_ACTION.rawValue: self = .kicked
        case -1: self = PrivateStructure.hasSaidDisconnect(client) ? .closed : .lost
        default: self = .lost
        }
    }
}
