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
    /// One source address used more new client ids than a minute allows.
    case tooManyNewClients
    /// The credentials file is missing, unreadable or damaged.
    case credentialsUnavailable

    /// The device's certificate began before the moment from which certificates count.
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
    /// A terminal's own request, which is not delivered back; never published.
    case ownRequest

    // Limits.
    /// The connection sends more messages or bytes than it may; or a client that was closed for
    /// this, or a source address with many such, returns before its pause is over.
    case tooFast
    /// All terminals and products behind one source address exceed their common limit, and this
    /// terminal sends more than seldom.
    case addressTooFast
    /// A new client while the broker admits none: too many connect at once, or clients hold too
    /// much of its memory.
    case busy
    /// A delivery to a client for which too much waits, or the end of its connection.
    case tooSlow
    /// QoS 2, which only services may use.
    case qosNotSupported
    /// A report or request of a sender that already has its share of a worker's backlog.
    case overloaded
    /// More subscriptions than a connection may hold.
    case tooManySubscriptions
    /// A filter within the connection's own space, but of a shape that it may not subscribe to.
    case filterNotAllowed
    /// A topic with more levels than the limit.
    case tooManyLevels

    // Of the service's own listeners, before any client is known.
    /// The page that opened a WebSocket has a forbidden origin.
    case originNotAllowed
    /// The TLS handshake failed.
    case handshakeFailed
    /// A source address, or the listener, has reached its limit of connections.
    case tooManyConnections
    /// A password, link or token did not let its bearer in to the operators' console.
    case operatorSignIn

    /// Whether a listener gives it, or the broker before it asks the gate.
    package var isOfListener: Bool {
        switch self {
        case .originNotAllowed, .handshakeFailed, .tooManyConnections, .operatorSignIn: true
        default: false
        }
    }
}
