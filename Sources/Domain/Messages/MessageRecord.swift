/// The outcome of an outgoing message, without its text or the full address.
package struct MessageRecord: Sendable, Equatable {
    /// The outcome of an outgoing message.
    package enum State: String, Sendable, CaseIterable {
        /// The mail server or gateway accepted the message.
        case sent
        /// The service gave up on the message.
        case failed
        /// The message expired before it could be sent.
        case expired
    }

    /// The message's id.
    package var id: MessageID
    /// The channel: e-mail or text message.
    package var channel: OutgoingMessage.Channel
    /// The masked address of the receiver.
    package var address: String
    /// The template of the message's text.
    package var template: OutgoingMessage.Template
    /// The app for which the message was sent.
    package var app: AppID
    /// The provider: `smtp`, `webhook` or `gateway`, or `log` if the message was only logged.
    package var provider: String
    /// The outcome of the message.
    package var state: State
    /// The number of tries.
    package var tries: Int
    /// The provider's error in the last failed try, without secrets, or nil if no try failed.
    package var error: String?
    /// The creation time.
    package var createdAt: Instant
    /// The time at which the message was sent, found expired, or given up.
    package var endedAt: Instant

    /// Makes a record.
    package init(
        id: MessageID,
        channel: OutgoingMessage.Channel,
        address: String,
        template: OutgoingMessage.Template,
        app: AppID,
        provider: String,
        state: State,
        tries: Int,
        error: String? = nil,
        createdAt: Instant,
        endedAt: Instant
    ) {
        self.id = id
        self.channel = channel
        self.address = address
        self.template = template
        self.app = app
        self.provider = provider
        self.state = state
        self.tries = tries
        self.error = error
        self.createdAt = createdAt
        self.endedAt = endedAt
    }
}
