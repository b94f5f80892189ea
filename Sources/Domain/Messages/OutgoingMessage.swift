/// One outgoing message: an e-mail or a text to one address.
///
/// It is stored sealed until it is sent, is sent again after a failure, and is deleted at `expiresAt` at the latest.
package struct OutgoingMessage: Sendable, Equatable {
    /// The channel.
    package enum Channel: String, Sendable, CaseIterable {
        case email, sms
    }

    /// The template of its text; each exists in every language of the service.
    package enum Template: String, Sendable, CaseIterable {
        /// A code; `params`: `code`, `purpose`, `minutes`.
        case code
        /// A link that verifies an e-mail address; `params`: `url`, `hours`.
        case verifyEmail
        /// A link to the page that sets a new password; `params`: `url`, `minutes`.
        case resetPassword
        /// A request tried to register an address that already has an account.
        case addressTaken
        /// An account was made with this address; `params`: `url` to verify it, `hours`.
        case confirmation
        /// The account's address was changed; `params`: `url`, `hours`, masked new `address`.
        case addressChanged
        /// The account's password was changed.
        case passwordChanged
        /// The account will be erased; `params`: `days`.
        case cancelled
        /// An operator tests whether messages arrive.
        case test
    }

    /// The request that caused the message; its terminal receives the outcome.
    package struct Origin: Sendable, Equatable {
        /// The requesting terminal.
        package var terminal: TerminalID
        /// The terminal's app.
        package var app: AppID
        /// The `requestId` that the terminal knows it by.
        package var requestID: String

        /// Makes the origin of a message.
        package init(terminal: TerminalID, app: AppID, requestID: String) {
            self.terminal = terminal
            self.app = app
            self.requestID = requestID
        }
    }

    /// Its id, by which gateways answer and drop repeats.
    package var id: MessageID
    /// The channel.
    package var channel: Channel
    /// An e-mail address, or a phone number without its country code.
    package var to: String
    /// The country code of a phone number; for an e-mail, the user's.
    package var countryCode: String?
    /// The app that it is sent for.
    package var app: AppID
    /// The template.
    package var template: Template
    /// The values of the template's placeholders.
    package var params: [String: String]
    /// The user's language as a tag such as `zh-CN`; without one the country code decides.
    package var language: String?
    /// The moment after which it is not worth sending.
    package var expiresAt: Instant
    /// The request whose terminal receives the outcome.
    package var origin: Origin?
    /// Whether it is only reported as sent, because no such account exists.
    package var isDummy = false

    /// Makes a message.
    package init(
        id: MessageID,
        channel: Channel,
        to: String,
        countryCode: String? = nil,
        app: AppID,
        template: Template,
        params: [String: String] = [:],
        language: String? = nil,
        expiresAt: Instant,
        origin: Origin? = nil,
        isDummy: Bool = false
    ) {
        self.id = id
        self.channel = channel
        self.to = to
        self.countryCode = countryCode
        self.app = app
        self.template = template
        self.params = params
        self.language = language
        self.expiresAt = expiresAt
        self.origin = origin
        self.isDummy = isDummy
    }

    /// The complete address: a phone number with `+` and its country code.
    package var fullAddress: String {
        switch channel {
        case .email: to
        case .sms: "+\(countryCode ?? "")\(to)"
        }
    }
}
