/// What became of an outgoing message: neither what it said nor the address in full.
package struct MessageRecord: Sendable, Equatable {
    /// How it ended.
    package enum State: String, Sendable, CaseIterable {
        /// The other side took it.
        case sent
        /// It was given up.
        case failed
        /// Its time was over before it could be sent.
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
    /// What sent it: `smtp`, `webhook`, `gateway`, or `log` where nothing was sent.
    package var provider: String
    /// How it ended.
    package var state: State
    /// The number of tries.
    package var tries: Int
    /// Why the last try failed, in the other side's words without secrets; nil if none did.
    package var error: String?
    /// When it was made.
    package var createdAt: Instant
    /// When it ended.
    package var endedAt: Instant

    /// Puts a record together.
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
