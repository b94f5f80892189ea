import CMosquittoBroker

/// The reason for the end of a connection, as presence messages give it.
enum Departure: String {
    /// The client disconnected by itself.
    case closed
    /// It fell silent, broke the protocol or its network broke.
    case lost
    /// The gate or an operator closed it.
    case kicked
    /// A newer connection with its client id came.
    case takenOver

    /// Determines the reason for which the broker ends a connection.
    ///
    /// Mosquitto 2.0.11 gives every plugin the reason -1; whether a DISCONNECT came shows in its memory alone. Versions
    /// that give the reason are trusted.
    init(_ client: OpaquePointer, reason: Int32) {
        switch reason {
        case MOSQ_ERR_SUCCESS.rawValue: self = .closed
        case MOSQ_ERR_ADMINISTRATIVE_ACTION.rawValue: self = .kicked
        case -1: self = PrivateStructure.hasSaidDisconnect(client) ? .closed : .lost
        default: self = .lost
        }
    }
}
