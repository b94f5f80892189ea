import Domain
import Sodium
import Storage

/// A message with a link, which is created and queued in the caller's transaction.
struct LinkMail {
    /// The recipient of a link.
    struct Recipient: Sendable {
        /// The user whose account the link changes; nil if there is no account, a fact that must not be revealed.
        var uid: UserID?
        /// The app of the account.
        var app: AppID
        /// The channel by which the message is sent.
        var channel = OutgoingMessage.Channel.email
        /// The address in the form in which the account contains it.
        var address: String
        /// The country code of the phone number or, for an e-mail address, of the user.
        var countryCode: String?
        /// The user's language, if known.
        var language: String?
    }

    private let kind: Link.Kind
    private let template: OutgoingMessage.Template
    private let recipient: Recipient
    /// The account's new address, for `undoAddress`.
    private let replacement: String?
    /// The account before the change, for `undoAddress`.
    private let before: User?

    /// Makes a message with a requested link; by default, the kind of link determines the template.
    init(_ kind: Link.Kind, saying template: OutgoingMessage.Template? = nil, to recipient: Recipient) {
        self.kind = kind
        self.template = template ?? Self.standard(kind)
        self.recipient = recipient
        replacement = nil
        before = nil
    }

    /// Makes a message to the account's previous address, with a link that restores that address; `before` is the
    /// account before the change.
    init(undoing old: Address, of before: User, replacement: Address) {
        kind = .undoAddress
        template = Self.standard(.undoAddress)
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
        self.recipient = recipient
        self.replacement = replacement.text
        self.before = before
    }

    /// Creates the link and queues its message; voids earlier links of the same kind, except undo links.
    ///
    /// If there is no account, nothing is sent, although the same work is done.
    /// - Throws: `Rejection` with `TooManyRequests` if the link was requested and the address, with or without an
    ///   account, has reached the hourly limit of these messages.
    func send(publicURL: String, in work: inout UnitOfWork) throws {
        if kind != .undoAddress { try count(in: work) }
        let expiresAt = work.now.adding(seconds: kind.lifeSeconds)
        let uid = recipient.uid ?? UserID(trusted: work.makeID("n"))
        if recipient.uid == nil { work.tx.lock(new: uid) }
        if kind != .undoAddress { try work.tx.links.void(kind, of: uid) }
        let token = try work.tx.links.make(
            kind,
            uid: uid,
            address: recipient.address,
            detail: detail,
            expiresAt: expiresAt
        )
        try work.tx.outgoingMessages.add(
            OutgoingMessage(
                id: MessageID(trusted: work.makeID("m")),
                channel: recipient.channel,
                to: recipient.address,
                countryCode: recipient.countryCode,
                app: recipient.app,
                template: template,
                params: params(url: "\(publicURL)/link/\(token)"),
                language: recipient.language,
                expiresAt: expiresAt,
                isDummy: recipient.uid == nil
            )
        )
    }

    private static func standard(_ kind: Link.Kind) -> OutgoingMessage.Template {
        switch kind {
        case .verifyEmail: .verifyEmail
        case .resetPassword: .resetPassword
        case .undoAddress: .addressChanged
        }
    }

    private func params(url: String) -> [String: String] {
        var params = ["url": url]
        switch kind {
        case .resetPassword: params["minutes"] = "\(kind.lifeSeconds / 60)"
        case .verifyEmail, .undoAddress: params["hours"] = "\(kind.lifeSeconds / 3600)"
        }
        params["address"] = replacement.map(MaskedAddress.text)
        return params
    }

    private var detail: [String: String] {
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

    /// Counts a requested message with a link; all spellings of the same address share one count.
    ///
    /// - Throws: `Rejection` with `TooManyRequests`.
    func count(in work: UnitOfWork) throws {
        let key = EmailAddress(recipient.address)?.key ?? recipient.address
        let address = Sodium.hex(work.tx.hash("\(recipient.app.text) \(key)", boundTo: "link"))
        let limit = AttemptTable.Limit(
            "link/\(kind.rawValue)/\(address)",
            max: work.limits.linksPerHour,
            windowSeconds: Quota.hour
        )
        try work.tx.take(limit, elseSay: "Too many links were sent to this address; try again later.")
    }
}
