import Domain
import Storage
import Wire

extension Call {
    /// Returns the user of the request's session.
    func user() throws -> User {
        guard let user = try tx.accounts.find(caller().uid) else {
            throw Rejection(.invalidToken, "The account is gone.", field: "token")
        }
        return user
    }

    /// The service's regions, with the app's default country.
    var regions: Regions {
        var regions = environment.regions
        regions.defaultCountryCode = app.policies.defaultCountryCode
        return regions
    }

    /// Returns a user's own view of the account.
    func shown(_ user: User) -> Answer { AccountCodec.encode(user, app.policies, publicURL: environment.publicURL) }

    /// Returns the user on this terminal as actor, or the terminal itself if `uid` is nil; with a key, the server.
    func anybody(_ uid: UserID?) -> Actor {
        if let key { return Actor(.service, key.name, terminal: key.terminal) }
        return uid.map { Actor(.user, $0.text, terminal: request.terminal) }
            ?? Actor(.system, "terminal", terminal: request.terminal)
    }

    /// Adds an audit entry by the session's user, or else by the account's proved owner, or else by the terminal.
    ///
    /// A terminal adds only a limited number of failures in 15 minutes, since the trail is kept forever.
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

    /// Refuses another app's terminal before slow work is done for it.
    ///
    /// An app's new terminals are limited per hour, so that a flood of them doesn't fill the store.
    func checkTerminal() throws {
        if let owner = try tx.sessions.app(of: request.terminal) {
            guard owner != app.id else { return }
            throw Rejection(.forbidden, "The terminal belongs to another app.")
        }
        let wait = try tx.attempts.retryAfter(newTerminals, max: limits.terminalsPerHour, windowSeconds: Quota.hour)
        if let wait { throw Self.tooManyTerminals(retryAfter: wait) }
    }

    /// Counts a terminal on which no user has logged in yet, or refuses it.
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

    /// Queues a message that contains no link.
    mutating func queue(_ notice: AddressNotice) throws {
        var channel = OutgoingMessage.Channel.email
        var (to, countryCode) = (notice.address.text, notice.countryCode)
        if case .phone(let phone) = notice.address {
            // The country of the number, since the user may live elsewhere.
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
    /// If another account has proved it, that account's owner is informed instead. One message is sent either way, so
    /// neither the answer nor a count reveals the difference.
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

    /// Informs the owner of an address that another user claimed it.
    mutating func notifyTaken(_ address: Address, _ owner: User) throws {
        let own = owner.verifiedAddresses.first { $0.isPhone == address.isPhone }
        try queue(AddressNotice(.addressTaken, to: own ?? address, of: owner))
        try audit(.addressTaken, of: owner.uid)
    }

    /// Sends the link that proves an address; if another user has it, informs that user instead.
    ///
    /// - Throws: `Rejection` with `Duplicated` if another user has it and the app reveals accounts.
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

    /// Informs the owner of an address, once a day.
    ///
    /// It never refuses: nothing is sent to a free address, so a refusal would reveal that this one is taken.
    private mutating func notifyOwnerOnce(_ address: Address, of owner: User) throws {
        let limit = AttemptTable.Limit(
            "taken/\(owner.uid.text)/\(address.isPhone ? "phone" : "email")",
            max: 1,
            windowSeconds: Quota.day
        )
        guard try tx.attempts.take([limit]) == nil else { return }
        try notifyTaken(address, owner)
    }

    /// Sends the account's previous address a link that restores it; `before` is the account before the change.
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

    /// Informs a user's proved e-mail address that the password has changed.
    mutating func notifyPasswordChanged(_ user: User) throws {
        guard let email = user.email, user.isEmailVerified else { return }
        try queue(AddressNotice(.passwordChanged, to: .email(email), of: user))
    }
}
