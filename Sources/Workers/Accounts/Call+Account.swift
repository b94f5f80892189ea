import Domain
import Storage
import Wire

extension Call {
    /// Returns the user of the request's session.
    func user() throws -> User {
        guard let user = try tx.accounts.find(caller().uid) else {
            throw Rejection(.invalidToken, "The account no longer exists.", field: "token")
        }
        return user
    }

    /// The service's regions, with the app's default country.
    var regions: Regions {
        var regions = environment.regions
        regions.defaultCountryCode = app.policies.defaultCountryCode
        return regions
    }

    /// Returns the account's data as its own user sees it.
    func shown(_ user: User) -> Answer { AccountCodec.encode(user, app.policies, publicURL: environment.publicURL) }

    /// Returns the actor of a request: with a key, the server that uses it; otherwise the user, or the terminal if
    /// `uid` is nil.
    func anybody(_ uid: UserID?) -> Actor {
        if let key { return Actor(.service, key.name, terminal: key.terminal) }
        return uid.map { Actor(.user, $0.text, terminal: request.terminal) }
            ?? Actor(.system, "terminal", terminal: request.terminal)
    }

    /// Adds an audit entry, whose actor is the session's user, else the account's user if proved, else the terminal.
    ///
    /// A terminal can add only a limited number of failures in 15 minutes, since audit entries are kept forever.
    func audit(_ kind: AuditEntry.Kind, of uid: UserID?, detail: String? = nil) throws {
        guard
            !kind.isFailure
                || environment.quotas.mayNote(request.terminal.text, max: limits.counts.failuresNoted, at: tx.now)
        else { return }
        try tx.audit.add(
            AuditEntry(
                kind: kind,
                uid: uid,
                app: app.id,
                actor: anybody(session?.uid ?? (kind.isByAnybody ? nil : uid)),
                terminal: request.terminal,
                detail: detail
            )
        )
    }

    /// Refuses a request about an unknown account, if the app reveals which accounts exist.
    ///
    /// - Throws: `Rejection` with `ResourceNotFound`.
    func reveal(_ user: User?) throws {
        guard user == nil, app.policies.revealAccounts else { return }
        throw Rejection(.resourceNotFound, "There is no account with this name.")
    }

    /// Refuses another app's terminal, or a new terminal if the app has had too many, before slow work begins.
    ///
    /// The number of an app's new terminals per hour is limited, so that a flood of new terminals doesn't fill the
    /// store.
    func checkTerminal() throws {
        if let owner = try tx.sessions.app(of: request.terminal) {
            guard owner != app.id else { return }
            throw Rejection(.forbidden, "The terminal belongs to another app.")
        }
        let wait = try tx.attempts.retryAfter(newTerminals, max: limits.terminalsPerHour, windowSeconds: Quota.hour)
        if let wait { throw Self.tooManyTerminals(retryAfter: wait) }
    }

    /// Counts a terminal on which no user has logged in yet; throws if the app has had too many new terminals.
    func countTerminal() throws {
        guard try tx.sessions.app(of: request.terminal) == nil else { return }
        let limit = AttemptTable.Limit(newTerminals, max: limits.terminalsPerHour, windowSeconds: Quota.hour)
        if let wait = try tx.attempts.take([limit]) { throw Self.tooManyTerminals(retryAfter: wait) }
    }

    private static func tooManyTerminals(retryAfter seconds: Int64) -> Rejection {
        Rejection(
            .tooManyRequests,
            "Too many new terminals of this app.",
            retryAfter: seconds
        )
    }

    private var newTerminals: String { "terminal/app/\(app.id.text)" }

    /// Queues a message to an address; the message contains no link.
    mutating func queue(_ notice: AddressNotice) throws {
        var channel = OutgoingMessage.Channel.email
        var (to, countryCode) = (notice.address.text, notice.countryCode)
        if case .phone(let phone) = notice.address {
            // The country is that of the phone number, since the user may live in another country.
            (channel, to, countryCode) = (.sms, phone.national, phone.countryCode)
        }
        try tx.outgoingMessages.add(
            OutgoingMessage(
                id: MessageID(trusted: work.makeID("m")),
                channel: channel,
                to: to,
                countryCode: countryCode,
                app: app.id,
                template: notice.template,
                params: notice.params,
                language: notice.language,
                expiresAt: notice.expiresAt ?? tx.now.adding(seconds: 86_400),
                origin: notice.origin,
                isDummy: notice.isDummy
            )
        )
    }

    /// Sends the link with which a user proves a claimed e-mail address.
    ///
    /// If another account has verified the address, the owner of that account is informed instead. One message is sent
    /// in both cases, so that neither the answer nor the number of messages reveals the difference.
    mutating func sendVerification(_ user: User, _ template: OutgoingMessage.Template = .verifyEmail) throws {
        guard let email = user.unprovedEmail else { return }
        try quotas.take(mailQuotas)
        let recipient = LinkMail.Recipient(
            uid: user.uid,
            app: app.id,
            address: email.text,
            countryCode: user.countryCode,
            language: user.profile.language
        )
        let address = Address.email(email)
        let owner = try tx.accounts.find(proved: address, app: app.id, region: user.region)
        if let owner, owner.uid != user.uid {
            try LinkMail(.verifyEmail, to: recipient).count(in: work)
            return try notifyTaken(address, owner)
        }
        let mail = LinkMail(.verifyEmail, saying: template, to: recipient)
        try mail.send(publicURL: environment.publicURL, in: &work)
        try audit(.linkSent, of: user.uid, detail: "verifyEmail \(MaskedAddress.text(email.text))")
    }

    /// Informs the owner of an address that another user has claimed the address.
    mutating func notifyTaken(_ address: Address, _ owner: User) throws {
        let own = owner.verifiedAddresses.first { $0.isPhone == address.isPhone }
        try queue(AddressNotice(.addressTaken, to: own ?? address, of: owner))
        try audit(.addressTaken, of: owner.uid)
    }

    /// Sends the link that proves an address; if another user has the address, informs that user instead.
    ///
    /// - Throws: `Rejection` with `Duplicated` if another user has the address and the app reveals which accounts
    ///   exist.
    mutating func proveOrNotifyOwner(_ address: Address, of user: User) throws {
        let name = LoginName.address(address)
        let owner = try tx.accounts.find(name, app: user.app, region: user.region)
        if let owner, owner.uid != user.uid, app.policies.revealAccounts { throw NewUser.taken(address) }
        if address.isPhone {
            if let owner, owner.uid != user.uid { try notifyOwnerOnce(address, of: owner) }
        } else if app.policies.emailVerification {
            try sendVerification(user)
        } else if let owner, owner.uid != user.uid, owner.isEmailVerified {
            try notifyOwnerOnce(address, of: owner)
        }
    }

    /// Informs the owner of an address that another user has claimed the address, at most once a day.
    ///
    /// The limit never causes a refusal: nothing is sent for a free address, so a refusal would reveal that the address
    /// is taken.
    private mutating func notifyOwnerOnce(_ address: Address, of owner: User) throws {
        let limit = AttemptTable.Limit(
            "taken/\(owner.uid.text)/\(address.isPhone ? "phone" : "email")",
            max: 1,
            windowSeconds: Quota.day
        )
        guard try tx.attempts.take([limit]) == nil else { return }
        try notifyTaken(address, owner)
    }

    /// Sends a link to the account's previous address, which the link restores; `before` is the account before the
    /// change.
    mutating func notifyOldAddress(_ old: Address, of before: User, new: Address) throws {
        let mail = LinkMail(undoing: old, of: before, replacement: new)
        try mail.send(publicURL: environment.publicURL, in: &work)
        try audit(.linkSent, of: before.uid, detail: "undoAddress \(MaskedAddress.text(old.text))")
    }

    /// The life of a session from its login or refresh, in seconds: the app's setting, or else the service's.
    var sessionSeconds: Int64 { app.policies.sessionDays.map { $0 * 86_400 } ?? limits.sessionSeconds }

    /// Notifies a user's terminals that the account's phone or e-mail address has changed.
    mutating func notifyTerminals(of change: Address, _ user: User) {
        let payload = AccountCodec.addressChanged(
            isPhone: change.isPhone,
            of: user.uid,
            ts: tx.now,
            actor: anybody(user.uid)
        )
        work.effects.publish(OutboundMessage(topics.user(user.uid, "account"), payload))
    }

    /// Informs a user's verified e-mail address that the password has changed.
    mutating func notifyPasswordChanged(_ user: User) throws {
        guard let email = user.email, user.isEmailVerified else { return }
        try queue(AddressNotice(.passwordChanged, to: .email(email), of: user))
    }
}
