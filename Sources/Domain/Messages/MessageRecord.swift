/// The outcome of an outgoing message, without its text or the full address.
package struct MessageRecord: Sendable, Equatable {
    /// The way in which it ended.
    package enum State: String, Sendable, CaseIterable {
        /// The other side accepted it.
        case sent
        /// It was given up.
        case failed
        /// It expired before it could be sent.
        case expired
    }

    /// The message's id.
    package var id: MessageID
    /// The channel.
    package var channel: OutgoingMessage.Channel
    /// The address, masked.
    package var address: String
    /// The template of its text.
    package var template: OutgoingMessage.Template
    /// The app that it was sent for.
    package var app: AppID
    /// The sender: `smtp`, `webhook`, `gateway`, or `log` if nothing was sent.
    package var provider: String
    /// The way in which it ended.
    package var state: State
    /// The number of tries.
    package var tries: Int
    /// The error of the last failed try, in the other side's words without secrets, or nil.
    package var error: String?
    /// The creation time.
    package var createdAt: Instant
    /// The time at which it ended.
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
