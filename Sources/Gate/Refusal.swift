/// Why the gate said no, as it is told on `{root}/system/refusal`.
enum Refusal: String, Error, Sendable {
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
}
