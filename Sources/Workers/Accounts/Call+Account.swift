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

    /// Returns the data of an account, as the account's user sees it.
    func shown(_ user: User) -> Answer { AccountCodec.encode(user, app.policies, publicURL: environment.publicURL) }

    /// Returns the actor of a request.
    ///
    /// If the request has an API key, the actor is the server with that key. Otherwise, the actor is the user `uid`, or
    /// the terminal if `uid` is nil.
    func anybody(_ uid: UserID?) -> Actor {
        if let key { return Actor(.service, key.name, terminal: key.terminal) }
        return uid.map { Actor(.user, $0.text, terminal: request.terminal) }
            ?? Actor(.system, "terminal", terminal: request.terminal)
    }

    /// Stores a changed account, and logs that the request's sender changed it.
    mutating func save(_ user: User, changed: User.SecurityChange? = nil) throws {
        try work.save(user, by: anybody(user.uid), changed: changed)
    }

    /// Adds an audit entry about the user `uid`.
    ///
    /// Without a session or an API key, the kind of entry decides the actor. For a kind that anybody can cause, the
    /// actor is the terminal. For any other kind, the actor is the user `uid`.
    ///
    /// Audit entries can be kept forever. The failures that a terminal can add in 15 minutes are therefore limited.
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

    /// Throws `ResourceNotFound` if the account is unknown and the app reveals which accounts exist.
    func reveal(_ user: User?) throws {
        guard user == nil, app.policies.revealAccounts else { return }
        throw Rejection(.resourceNotFound, "There is no account with this name.")
    }

    /// Refuses another app's terminal, and a new terminal beyond the app's limit.
    ///
    /// An app's new terminals per hour are limited, so that they don't fill the store. Methods with slow work call this
    /// function before they start that work.
    func checkTerminal() throws {
        if let owner = try tx.sessions.app(of: request.terminal) {
            guard owner != app.id else { return }
            throw Rejection(.forbidden, "The terminal belongs to another app.")
        }
        let wait = try tx.attempts.retryAfter(newTerminals, max: limits.terminalsPerHour, windowSeconds: Quota.hour)
        if let wait { throw Self.tooManyTerminals(retryAfter: wait) }
    }

    /// Counts a new terminal, or throws if the app has had too many.
    func countTerminal() throws {
        guard try tx.sessions.app(of: request.terminal) == nil else { return }
        let limit = AttemptTable.Limit(newTerminals, perHour: limits.terminalsPerHour)
        if let wait = try tx.attempts.take([limit]) { throw Self.tooManyTerminals(retryAfter: wait) }
    }

    private static func tooManyTerminals(retryAfter seconds: Int64) -> Rejection {
        Rejection(.tooManyRequests, "Too many new terminals of this app.", retryAfter: seconds)
    }

    private var newTerminals: String { "terminal/app/\(app.id.text)" }

    /// Sends the link by which a user proves a claimed e-mail address.
    ///
    /// If another account has verified the address, the owner of that account is informed instead. Exactly one message
    /// is sent in both cases. Therefore, the answer and the number of messages don't reveal such an account.
    mutating func sendVerification(_ user: User, _ template: OutgoingMessage.Template = .verifyEmail) throws {
        guard let email = user.unprovedEmail else { return }
        try quotas.take(mailQuotas)
        let country = user.countryCode
        let mail = LinkMail(.verifyEmail, saying: template, to: email, of: user, app: app.id, countryCode: country)
        let address = Address.email(email)
        let owner = try tx.accounts.find(proved: address, app: app.id, region: user.region)
        if let owner, owner.uid != user.uid {
            try mail.count(in: work)
            return try notifyTaken(address, owner)
        }
        try mail.send(publicURL: environment.publicURL, in: &work)
        try audit(.linkSent, of: user.uid, detail: "verifyEmail \(MaskedAddress.text(email.text))")
    }

    /// Tells an address's owner that another user has claimed the address.
    mutating func notifyTaken(_ address: Address, _ owner: User) throws {
        let own = owner.verifiedAddresses.first { $0.isPhone == address.isPhone }
        try tx.outgoingMessages.add(OutgoingMessage(.addressTaken, to: own ?? address, of: owner, in: &work))
        try audit(.addressTaken, of: owner.uid)
    }

    /// Sends the link that proves an address, or informs the other user who has the address.
    ///
    /// - Throws: `Rejection` (`Duplicated`) if another user has the address and the app reveals which accounts exist.
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

    /// Tells an address's owner, at most once a day, that another user has claimed the address.
    ///
    /// Beyond the limit, nothing is sent. A refusal would reveal that the address is taken.
    private mutating func notifyOwnerOnce(_ address: Address, of owner: User) throws {
        let limit = AttemptTable.Limit("taken/\(owner.uid.text)/\(address.isPhone ? "phone" : "email")", perDay: 1)
        guard try tx.attempts.take([limit]) == nil else { return }
        try notifyTaken(address, owner)
    }

    /// Sends the old address a link with which the user can undo the change to the new address.
    mutating func notifyOldAddress(_ old: Address, of before: User, new: Address) throws {
        let mail = LinkMail(undoing: old, of: before, replacement: new)
        try mail.send(publicURL: environment.publicURL, in: &work)
        try audit(.linkSent, of: before.uid, detail: "undoAddress \(MaskedAddress.text(old.text))")
    }

    /// How many seconds a session lives after its login or refresh.
    var sessionSeconds: Int64 { app.policies.sessionDays.map { $0 * 86_400 } ?? limits.sessionSeconds }

    /// Notifies a user's terminals that the account's phone or e-mail address has changed.
    mutating func notifyTerminals(of change: Address, _ user: User) {
        let (isPhone, actor) = (change.isPhone, anybody(user.uid))
        let payload = AccountCodec.addressChanged(isPhone: isPhone, of: user.uid, ts: tx.now, actor: actor)
        work.effects.publish(OutboundMessage(topics.user(user.uid, "account"), payload))
    }

    /// Informs a user, at the verified e-mail address, that the password has changed.
    mutating func notifyPasswordChanged(_ user: User) throws {
        guard let email = user.email, user.isEmailVerified else { return }
        try tx.outgoingMessages.add(OutgoingMessage(.passwordChanged, to: .email(email), of: user, in: &work))
    }
}
