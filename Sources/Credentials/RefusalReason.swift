/// The reason of a refusal by the gate or by a listener of the service, as published on `{root}/system/refusal`.
///
/// A closed list, shared by the gate, which gives most reasons, and the service, which gives the others, explains and
/// counts them: `lamplighter explain` describes each.
/// The rules in words (reference: connecting#rights).
package enum RefusalReason: String, Error, Sendable, CaseIterable {
    // Connecting.
    case noUsername
    case noPassword
    case badUsername
    case badClientId
    case badSecret
    case unknownPrincipal
    /// The terminal belongs to another app.
    case terminalOfOtherApp
    /// The terminal has a live session, so the password must be its token instead of the app's secret.
    case sessionTokenRequired
    /// More new client ids came from one source address than a minute allows.
    case tooManyNewClients
    /// The credentials file is missing, unreadable or damaged.
    case credentialsUnavailable

    /// The device's certificate began before the moment from which they count.
    case certificateRevoked

    // Publishing, subscribing, receiving.
    case notAllowed
    case retainNotAllowed
    case badTopic
    /// Wills to `$` topics, and shared subscriptions of anything but services.
    case reservedTopic
    case sharedNotAllowed
    /// The space of a user without a live session of that user.
    case sessionRequired
    /// The principal was removed, or its secret changed, since it connected.
    case noLongerAllowed
    /// A terminal's own request, which is not delivered back; never told.
    case ownRequest

    // Limits.
    /// More messages or bytes than the connection may send; a connection that was closed for that, or
    /// a source address with many such, before its time is over.
    case tooFast
    /// All terminals and products behind one source address send more messages than they may together, and this
    /// terminal more than seldom.
    case addressTooFast
    /// A new client while the broker admits none: too many come at once, or clients hold too much of its memory.
    case busy
    /// A delivery to a client for which too much waits, or the end of its connection.
    case tooSlow
    /// QoS 2, which only services may use.
    case qosNotSupported
    /// A report of a device that already has its share of the status worker's backlog.
    case overloaded
    /// More subscriptions than a connection may hold.
    case tooManySubscriptions
    /// A filter within the connection's own space, but of a shape that it may not subscribe to.
    case filterNotAllowed
    /// A topic with more levels than the limit.
    case tooManyLevels

    // Of the service's own listeners, before any client is known.
    /// The page that opened a WebSocket is of an origin that may not.
    case originNotAllowed
    /// The TLS handshake failed.
    case handshakeFailed
    /// A source address, or the listener, has as many connections as it may.
    case tooManyConnections
    /// A password, link or token did not let its bearer in to the operators' console.
    case operatorSignIn

    /// Whether it is a listener's, or the broker's before the gate is asked.
    package var isOfListener: Bool {
        switch self {
        case .originNotAllowed, .handshakeFailed, .tooManyConnections, .operatorSignIn: true
        default: false
        }
    }
}
