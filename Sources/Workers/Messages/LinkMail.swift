import Domain
import Sodium
import Storage

/// A message that contains a link; `send` creates both in the caller's transaction.
struct LinkMail {
    private let kind: Link.Kind
    private let template: OutgoingMessage.Template
    /// The user, or nil if no account has the address to which the message is sent.
    ///
    /// For an undo link, this is the user as stored before the address was changed.
    private let user: User?
    private let app: AppID
    /// The address to which the message is sent.
    private let address: Address
    /// The country code of the user.
    private let countryCode: String
    /// The account's new address if the link is of the kind `undoAddress`, otherwise nil.
    private var replacement: Address?

    /// Makes a message with a requested link, by default with the template for the link's kind.
    init(
        _ kind: Link.Kind,
        saying template: OutgoingMessage.Template? = nil,
        to email: EmailAddress,
        of user: User?,
        app: AppID,
        countryCode: String
    ) {
        (self.kind, self.user, self.app, self.countryCode) = (kind, user, app, countryCode)
        self.template = template ?? Self.standard(kind)
        address = .email(email)
    }

    /// Makes a message to the previous address with a link that restores this address.
    init(undoing old: Address, of before: User, replacement: Address) {
        (kind, template, address) = (.undoAddress, Self.standard(.undoAddress), old)
        (user, app, countryCode) = (before, before.app, before.countryCode)
        self.replacement = replacement
    }

    /// Creates the link, queues its message, and voids the user's earlier links of the same kind.
    ///
    /// A new undo link doesn't void the user's earlier undo links.
    ///
    /// Without an account, the same work is done but no message is sent. Thus, nobody learns that the account doesn't
    /// exist.
    /// - Throws: `TooManyRequests` if the address has reached the hourly limit of requested links. The limit applies
    ///   even if no account has the address.
    func send(publicURL: String, in work: inout UnitOfWork) throws {
        if kind != .undoAddress { try count(in: work) }
        let uid = user?.uid ?? UserID(trusted: work.makeID("n"))
        if user == nil { work.tx.lock(new: uid) }
        if kind != .undoAddress { try work.tx.links.void(kind, of: uid) }
        var message = OutgoingMessage(
            template,
            to: address,
            countryCode: countryCode,
            language: user?.profile.language,
            app: app,
            in: &work
        )
        message.expiresAt = work.now.adding(seconds: kind.lifeSeconds)
        message.isDummy = user == nil
        let token = try work.tx.links.make(
            kind,
            uid: uid,
            address: message.to,
            detail: detail(of: message),
            expiresAt: message.expiresAt
        )
        message.params = params(url: "\(publicURL)/link/\(token)")
        try work.tx.outgoingMessages.add(message)
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
        params["address"] = replacement.map { MaskedAddress.text($0.text) }
        return params
    }

    private func detail(of message: OutgoingMessage) -> [String: String] {
        var detail = ["channel": message.channel.rawValue, "app": app.text]
        (detail["countryCode"], detail["language"]) = (message.countryCode, message.language)
        guard kind == .undoAddress else { return detail }
        detail["replacement"] = replacement?.text
        detail["password"] = user?.passwordHash.map(LinkRules.mark)
        detail["since"] = user?.since(address).map { String($0.milliseconds) }
        return detail
    }

    /// Counts a requested link for its address (all spellings count as one), or throws `TooManyRequests`.
    func count(in work: UnitOfWork) throws {
        guard case .email(let email) = address else { return }
        let hash = Sodium.hex(work.tx.hash("\(app.text) \(email.key)", boundTo: "link"))
        let limit = AttemptTable.Limit("link/\(kind.rawValue)/\(hash)", perHour: work.limits.linksPerHour)
        try work.tx.take(limit, elseSay: "Too many links were sent to this address; try again later.")
    }
}
