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
    /// Mosquitto 2.0.11 gives every plugin the reason -1. Whether a DISCONNECT came shows in the client's state,
    /// a field right behind those that its functions return; it is read only if these stand in memory as
    /// expected. Versions that give the reason are trusted.
    init(_ client: OpaquePointer, reason: Int32) {
        switch reason {
        case MOSQ_ERR_SUCCESS.rawValue: self = .closed
        case MOSQ_ERR_ADMINISTRATIVE_ACTION.rawValue: self = .kicked
        case -1: self = Self.saidGoodbye(client) ? .closed : .lost
        default: self = .lost
        }
    }

    private static func saidGoodbye(_ client: OpaquePointer) -> Bool {
        guard let start = ClientStructure.start(of: client) else { return false }
        let state = start.load(fromByteOffset: 4 &* ClientStructure.word &+ 4, as: Int32.self)
        return state == disconnecting || state == disconnectWithWill
    }

    /// `mosq_cs_disconnecting` and `mosq_cs_disconnect_with_will` of Mosquitto's internal header.
    private static let disconnecting: Int32 = 2
    private static let disconnectWithWill: Int32 = 18
}
