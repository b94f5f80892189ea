import Domain
import Storage
import Wire

/// The methods `account/changePassword`, `checkPassword`, `resetPassword` and `requestPasswordReset`.
enum Passwords {
    static let methods: [String: Method] = [
        "account/changePassword": Method(locks: .user, prepare: prepareChange, run: change),
        "account/checkPassword": Method(prepare: prepareCheck, run: check),
        "account/resetPassword": Method(needsToken: false, prepare: prepareReset, run: reset),
        "account/requestPasswordReset": Method(needsToken: false, run: requestReset),
    ]

    private static let wrong = Rejection(.invalidCredentials, "The password is wrong.")

    /// Refuses a password if the account's hash has changed since the password was verified.
    static func checkCurrent(_ matched: String, _ user: User) throws {
        guard matched != user.passwordHash else { return }
        throw Rejection(.unavailable, "The password was just changed; send the request again.", retryAfter: 1)
    }

    // MARK: Changing

    @Sendable
    private static func prepareChange(_ call: inout Call) throws -> BackgroundTask? {
        let user = try call.user()
        let new = try SecretBytes(new: GivenPassword(new: call.fields), names: user.names)
        guard let hash = user.passwordHash else { return .hash(new) }
        let old = SecretBytes(compared: try GivenPassword(old: call.fields))
        try PasswordTries.begin(user, call)
        return .both(verify: old, against: hash, hash: new)
    }

    @Sendable
    private static func change(_ call: inout Call) throws -> Reply {
        var user = try call.user()
        if user.passwordHash != nil {
            guard let matched = call.prepared.matched else {
                try call.audit(.passwordFailed, of: user.uid, detail: call.request.method)
                return .refusal(wrong)
            }
            try checkCurrent(matched, user)
            try PasswordTries.succeeded(user, call)
        }
        user.passwordHash = call.prepared.hash
        try call.save(user)
        try endOldPassword(of: user, because: .passwordChanged, sparing: call.request.terminal, &call)
        return .done
    }

    /// Ends the user's pending password resets and all sessions except the session on `terminal`, and informs the user.
    private static func endOldPassword(
        of user: User,
        because reason: Session.EndReason,
        sparing terminal: TerminalID?,
        _ call: inout Call
    ) throws {
        let actor = call.anybody(user.uid)
        try SessionLifecycle.endAll(of: user.uid, except: terminal, because: reason, by: actor, in: &call.work)
        try call.tx.links.void(.resetPassword, of: user.uid)
        for address in user.verifiedAddresses {
            try call.tx.codes.void(call.codeScope(.resetPassword, address, region: user.region))
        }
        try call.notifyPasswordChanged(user)
        let kind: AuditEntry.Kind = reason == .passwordReset ? .passwordReset : .passwordChanged
        try call.audit(kind, of: user.uid)
    }

    // MARK: Checking

    @Sendable
    private static func prepareCheck(_ call: inout Call) throws -> BackgroundTask? {
        let user = try call.user()
        let password = SecretBytes(compared: try GivenPassword(compared: call.fields))
        try PasswordTries.begin(user, call)
        return .verify(password, against: user.passwordHash)
    }

    @Sendable
    private static func check(_ call: inout Call) throws -> Reply {
        let user = try call.user()
        guard let matched = call.prepared.matched else {
            try call.audit(.passwordFailed, of: user.uid, detail: call.request.method)
            return .result(AccountCodec.compared(isMatch: false))
        }
        try checkCurrent(matched, user)
        try PasswordTries.succeeded(user, call)
        return .result(AccountCodec.compared(isMatch: true))
    }

    // MARK: Resetting

    @Sendable
    private static func prepareReset(_ call: inout Call) throws -> BackgroundTask? {
        let parameters = try ProvedAddressParameters(call.fields, in: call.regions)
        let (region, address) = (parameters.place.region, parameters.address)
        let names = LoginName.address(address).forms
        _ = try SecretBytes(new: GivenPassword(new: call.fields), names: names)
        try call.reveal(resettable(address, region: region, call))
        let scopes = purposes.map { call.codeScope($0, address, region: region) }
        return try CodeCheck.prepare(parameters.proof, ofAny: scopes, call)
    }

    /// The purposes of the codes that can reset a password.
    ///
    /// `register` is included because some SDKs use it to request reset codes too. A guess is compared with both codes,
    /// and counts as a try of both. With five guesses, the chance of a right guess is therefore ten in a million.
    private static let purposes: [CodePurpose] = [.resetPassword, .register]

    @Sendable
    private static func reset(_ call: inout Call) throws -> Reply {
        let parameters = try ProvedAddressParameters(call.fields, in: call.regions)
        let (address, proof) = (parameters.address, parameters.proof)
        let region = parameters.place.region
        try call.lock {
            let meant = try resettable(address, region: region, call)?.uid
            return try [meant] + call.tx.accounts.holders(of: address, app: call.app.id, region: region)
        }
        let wrong = call.codeScope(.resetPassword, address, region: region)
        let scopes = purposes.map { call.codeScope($0, address, region: region) }
        let scope = try (call.prepared.tried ?? scopes)
            .first { try CodeCheck.matches(proof, of: $0, call) }
        guard let scope, var user = try resettable(address, region: region, call)
        else { return try CodeCheck.refusal(of: wrong, call) }
        // The password is compared with the account's names only after the code has been checked. Otherwise, a caller
        // without the code could learn such a name.
        let password = try SecretBytes(new: GivenPassword(new: call.fields), names: user.names)
        guard let hash = call.prepared.hash else { return .more(.hash(password)) }
        guard try CodeCheck.use(proof, of: scope, call), try LinkRules.prove(address, of: &user, in: call.tx) else {
            return try CodeCheck.refusal(of: wrong, call)
        }
        user.passwordHash = hash
        try call.save(user)
        try PasswordTries.clear(user, in: call.tx)
        try endOldPassword(of: user, because: .passwordReset, sparing: nil, &call)
        return .done
    }

    /// Returns the user whose password can be reset with an address.
    ///
    /// The user who verified the address comes first. The first user who registered with the address comes next. The
    /// user whose username is the address comes last.
    static func resettable(_ address: Address, region: String, _ call: Call) throws -> User? {
        let (accounts, app) = (call.tx.accounts, call.app.id)
        // `find` returns the user who verified this e-mail address or registered with it.
        let owner = try accounts.find(.address(address), app: app, region: region)
        guard case .email(let email) = address else { return owner }
        let beside = try accounts.beside(email, app: app, region: region, limit: 1).first
        let named = try LoginName.address(address).asUsername.flatMap {
            try accounts.find($0, app: app, region: region)
        }
        return owner ?? beside ?? named
    }

    @Sendable
    private static func requestReset(_ call: inout Call) throws -> Reply {
        let parameters = try PasswordResetParameters(call.fields, in: call.regions)
        let (place, email) = (parameters.place, parameters.email)
        // The request is counted whether or not the account exists.
        try call.quotas.take(call.mailQuotas)
        try call.lock { [try resettable(.email(email), region: place.region, call)?.uid] }
        let user = try resettable(.email(email), region: place.region, call)
        try call.reveal(user)
        let (key, country) = (EmailAddress(trusted: email.key), place.countryCode)
        let mail = LinkMail(.resetPassword, to: key, of: user, app: call.app.id, countryCode: country)
        try mail.send(publicURL: call.environment.publicURL, in: &call.work)
        try call.audit(.linkSent, of: user?.uid, detail: "resetPassword \(MaskedAddress.text(email.text))")
        return .done
    }
}
