/// An outgoing message: an e-mail, a text message or a push to one address.
///
/// The message is stored encrypted, retried after a failure, and deleted at `expiresAt` at the latest.
package struct OutgoingMessage: Sendable, Equatable {
    /// The channel of an outgoing message.
    package enum Channel: String, Sendable, CaseIterable {
        case email, sms, push
    }

    /// The template of a message's text.
    ///
    /// Each template except `push` exists in every language of the service.
    package enum Template: String, Sendable, CaseIterable {
        /// A verification code, with the `params` `code`, `purpose` and `minutes`.
        case code
        /// A link that verifies an e-mail address, with the `params` `url` and `hours`.
        case verifyEmail
        /// A link to the page that sets a new password, with the `params` `url` and `minutes`.
        case resetPassword
        /// A notice to an account's address: a registration with this address was refused.
        case addressTaken
        /// An account was registered with this address. The `params` are `hours` and `url`; the URL verifies the
        /// address.
        case confirmation
        /// The account's address was changed. The `params` are `url`, `hours` and the new `address`, masked.
        case addressChanged
        /// The account's password was changed.
        case passwordChanged
        /// The account will be erased after the number of days in the parameter `days`.
        case cancelled
        /// A test message, with which an operator checks that messages arrive.
        case test
        /// A push, which needs no template, because its notification already has a text.
        case push

        /// The templates that have a text.
        package static let worded = allCases.filter { $0 != .push }
    }

    /// The request that caused a message.
    ///
    /// The terminal that sent the request receives the message's outcome.
    package struct Origin: Sendable, Equatable {
        /// The requesting terminal.
        package var terminal: TerminalID
        /// The terminal's app.
        package var app: AppID
        /// The `requestId` by which the terminal identifies the request.
        package var requestID: String

        /// Makes the origin of a message.
        package init(terminal: TerminalID, app: AppID, requestID: String) {
            (self.terminal, self.app, self.requestID) = (terminal, app, requestID)
        }
    }

    /// The message's id, which gateways return and use to recognise a repeated message.
    package var id: MessageID
    /// The channel: e-mail, text message or push.
    package var channel: Channel
    /// The receiver: an e-mail address, a phone number without its country code, or the address of a push.
    package var to: String
    /// The country code of the phone number or, for an e-mail, of the user.
    package var countryCode: String?
    /// The app for which the message is sent.
    package var app: AppID
    /// The template.
    package var template: Template
    /// The values of the template's placeholders.
    package var params: [String: String]
    /// The tag of the user's language, such as `zh-CN`, or nil if the country code determines the language.
    package var language: String?
    /// The moment after which the message is no longer useful and isn't sent.
    package var expiresAt: Instant
    /// The request that caused the message, or nil if no terminal receives the outcome.
    package var origin: Origin?
    /// Whether the message is only reported as sent, because no account has the address.
    ///
    /// Such a message is never actually sent.
    package var isDummy = false
    /// The push, if the channel is `push`.
    ///
    /// The property `to` then contains the push's address.
    package var push: OutgoingPush?

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

    /// The lifetime of a push, in seconds, both in this service and at the push service.
    package static let pushSeconds: Int64 = 86_400

    /// Makes a message from a push; the message expires a day after `now`.
    package init(_ push: OutgoingPush, id: MessageID, at now: Instant) {
        self.init(
            id: id,
            channel: .push,
            to: push.address.address,
            app: push.address.app,
            template: .push,
            expiresAt: now.adding(seconds: Self.pushSeconds)
        )
        self.push = push
    }

    /// The complete address: an e-mail address, or a phone number with `+` and its country code.
    package var fullAddress: String {
        switch channel {
        case .email, .push: to
        case .sms: "+\(countryCode ?? "")\(to)"
        }
    }
}
