/// Why the gate said no, as it is told on `{root}/system/refusal`.
///
/// A closed list, shared by the gate, which gives the reasons, and the service, which explains and
/// counts them: each has a page of `lamplighter explain`.
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
    /// A session lives on the terminal, so its token is asked for and not the app's secret.
    case sessionTokenRequired
    /// More client ids that were not seen before came from one source address than a minute allows.
    case tooManyNewClients
    /// The credentials file is missing, unreadable or damaged.
    case credentialsUnavailable

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

    // How much one may do.
    /// More messages or bytes than the connection may send; a connection that was closed for that, or
    /// a source address with many such, before its time is over.
    case tooFast
    /// All terminals and products behind one source address send more messages than they may together, and this
    /// terminal more than seldom.
    case addressTooFast
    /// A report of a device that has its share of what the status worker is behind with.
    case overloaded
    /// More subscriptions than a connection may hold.
    case tooManySubscriptions
    /// A filter within what is the connection's own, but of no shape that the contract knows.
    case filterNotAllowed
    /// A topic with more levels than any that the contract knows.
    case tooManyLevels
}
