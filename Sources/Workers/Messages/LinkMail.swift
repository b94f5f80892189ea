package import Domain
package import Storage

/// Creates links and queues the messages that carry them, in the caller's transaction.
package enum LinkMail {
    /// The recipient of a link.
    package struct Recipient: Sendable {
        /// The user whose account it acts on; nil if there is none and the caller must not find out.
        package var uid: UserID?
        /// The app.
        package var app: AppID
        /// The channel of the message.
        package var channel: OutgoingMessage.Channel
        /// The address, as the account has it.
        package var address: String
        /// The country code of a phone number; of an e-mail address, the user's.
        package var countryCode: String?
        /// The user's language, if known.
        package var language: String?

        /// Creates a recipient.
        package init(
            uid: UserID?,
            app: AppID,
            channel: OutgoingMessage.Channel = .email,
            address: String,
            countryCode: String?,
            language: String? = nil
        ) {
            self.uid = uid
            self.app = app
            self.channel = channel
            self.address = address
            self.countryCode = countryCode
            self.language = language
        }
    }

    /// Creates a link and queues its message; voids earlier links of the kind, except undo links.
    ///
    /// The text is that of the kind unless the caller gives another. Without an account nothing is sent, after the
    /// same work. `replacement` is the account's new address, for `undoAddress`, and `before` the account as it was
    /// until then.
    /// - Throws: `Rejection` with `TooManyRequests`, equally for addresses with and without an account, if `isAsked`
    ///   and the address has reached its limit of such messages in an hour.
    package static func make(
        _ kind: Link.Kind,
        saying template: OutgoingMessage.Template? = nil,
        for recipient: Recipient,
        replacement: String? = nil,
        before: User? = nil,
        isAsked: Bool = true,
        _ environment: Environment,
        ids: inout IDSource,
        in tx: Transaction
    ) throws {
        if isAsked { try limit(kind, recipient, environment.limits, in: tx) }
        let now = tx.now
        let expiresAt = now.adding(seconds: kind.lifeSeconds)
        let uid = recipient.uid ?? UserID(trusted: ids.make("n", at: now))
        if kind != .undoAddress { try tx.links.void(kind, of: uid) }
        let token = try tx.links.make(
            kind,
            uid: uid,
            address: recipient.address,
            detail: detail(recipient, replacement, before),
            expiresAt: expiresAt
        )
        try tx.outgoingMessages.add(
            OutgoingMessage(
                id: MessageID(trusted: ids.make("m", at: now)),
                channel: recipient.channel,
                to: recipient.address,
                countryCode: recipient.countryCode,
                app: recipient.app,
                template: template ?? standard(kind),
                params: params(kind, token, replacement, environment),
                language: recipient.language,
                expiresAt: expiresAt,
                isDummy: recipient.uid == nil
            )
        )
    }

    /// Sends the account's previous address a link that restores it; `before` is the account as it was
    /// then.
    static func notifyOldAddress(
        _ old: Address,
        of before: User,
        new: Address,
        _ environment: Environment,
        ids: inout IDSource,
        in tx: Transaction
    ) throws {
        var recipient = Recipient(
            uid: before.uid,
            app: before.app,
            address: old.text,
            countryCode: before.countryCode,
            language: before.profile.language
        )
        if case .phone(let phone) = old {
            recipient.channel = .sms
            recipient.address = phone.national
            recipient.countryCode = phone.countryCode
        }
        try make(
            .undoAddress,
            for: recipient,
            replacement: new.text,
            before: before,
            isAsked: false,
            environment,
            ids: &ids,
            in: tx
        )
    }

    private static func standard(_ kind: Link.Kind) -> OutgoingMessage.Template {
        switch kind {
        case .verifyEmail: .verifyEmail
        case .resetPassword: .resetPassword
        case .undoAddress: .addressChanged
        }
    }

    private static func params(
        _ kind: Link.Kind,
        _ token: String,
        _ replacement: String?,
        _ environment: Environment
    ) -> [String: String] {
        var params = ["url": "\(environment.publicURL)/link/\(token)"]
        switch kind {
        case .resetPassword: params["minutes"] = "\(kind.lifeSeconds / 60)"
        case .verifyEmail, .undoAddress: params["hours"] = "\(kind.lifeSeconds / 3600)"
        }
        params["address"] = replacement.map(MaskedAddress.text)
        return params
    }

    private static func detail(
        _ recipient: Recipient,
        _ replacement: String?,
        _ before: User?
    ) -> [String: String] {
        var detail = ["channel": recipient.channel.rawValue, "app": recipient.app.text]
        detail["countryCode"] = recipient.countryCode
        detail["language"] = recipient.language
        detail["replacement"] = replacement
        detail["password"] = before?.passwordHash.map(LinkRules.mark)
        detail["since"] =
            (recipient.channel == .sms ? before?.phoneSince : before?.emailSince)
            .map { String($0.milliseconds) }
        return detail
    }

    /// Counts a requested message with a link; all spellings of an address share one count.
    ///
    /// - Throws: `Rejection` with `TooManyRequests`.
    static func limit(
        _ kind: Link.Kind,
        _ recipient: Recipient,
        _ limits: Limits,
        in tx: Transaction
    ) throws {
        let key = EmailAddress(recipient.address)?.key ?? recipient.address
        let address = tx.hash(
            "\(recipient.app.text) \(key)",
            boundTo: "link"
        ).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let subject = "link/\(kind.rawValue)/\(address)"
        let wait = try tx.attempts.retryAfter(
            subject,
            max: limits.linksPerHour,
            windowSeconds: 3600
        )
        if let wait {
            throw Rejection(
                .tooManyRequests,
                "Too many links were sent to this address; try again later.",
                retryAfter: wait
            )
        }
        try tx.attempts.add(subject, windowSeconds: 3600)
    }
}
