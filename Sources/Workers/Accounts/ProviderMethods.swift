import Domain
import Storage
import Wire

/// The methods `account/loginWithProvider`, `linkProvider`, `unlinkProvider` and `providers`.
///
/// A login finds the account by the provider's user id. The e-mail address that the provider reports is never used for
/// this.
enum ProviderMethods {
    static let methods: [String: Method] = [
        "account/loginWithProvider": Method(needsToken: false, prepare: prepareLogin) { call in
            try withIdentity(&call, login)
        },
        "account/linkProvider": Method(locks: .user, prepare: { try ask($0) }) { try withIdentity(&$0, link) },
        "account/unlinkProvider": Method(locks: .user, run: unlink),
        "account/providers": Method(isReading: true, run: list),
    ]

    private static func settings(_ name: ProviderName, _ call: Call) throws -> ProviderSettings {
        guard let settings = call.app.providers[name], settings.isEnabled else {
            throw ProviderFailure.disabled.rejection
        }
        return settings
    }

    private static func ask(_ call: Call) throws -> BackgroundTask {
        let parameters = try ProviderParameters(call.fields)
        if let name = parameters.name { _ = try settings(name, call) }
        let credential = try parameters.credential()
        return .identity(credential, try settings(credential.provider, call))
    }

    private static func identity(_ call: Call) throws -> VerifiedIdentity {
        guard let identity = call.prepared.identity else {
            throw ProviderFailure.unavailable(retryAfter: 5, because: "the provider was not asked").rejection
        }
        do {
            let found = try identity.get()
            try noteUse(call, failure: nil)
            return found
        } catch let failure as ProviderFailure {
            if case .unavailable(_, let reason) = failure { try noteUse(call, failure: reason) }
            throw failure.rejection
        }
    }

    /// Records for the operator whether a provider works, but records nothing for a refused credential.
    private static func noteUse(_ call: Call, failure: String?) throws {
        let provider = try ProviderParameters(call.fields).credential().provider
        try call.tx.providerUses.note(provider.rawValue, of: call.app.id, failure: failure)
    }

    /// Carries out a method with the identity that the provider has confirmed.
    ///
    /// If the provider has not confirmed an identity, the request is refused. The audit trail records the failure.
    private static func withIdentity(
        _ call: inout Call,
        _ method: (VerifiedIdentity, inout Call) throws -> Reply
    ) throws -> Reply {
        let identity: VerifiedIdentity
        do {
            identity = try self.identity(call)
        } catch let rejection as Rejection {
            let provider = try ProviderParameters(call.fields).provider
            try call.audit(.loginFailed, of: call.session?.uid, detail: "\(call.request.method) \(provider)")
            return .refusal(rejection)
        }
        return try method(identity, &call)
    }

    private static func keep(_ identity: VerifiedIdentity, for user: User, _ call: Call) throws {
        let keepsToken = call.app.providers[identity.provider]?.keepsToken ?? false
        let token = keepsToken ? identity.accessToken : nil
        try call.tx.identities.save(identity.provider.rawValue, identity.subject, of: user, accessToken: token)
    }

    // MARK: Logging in

    private static func loginParameters(_ call: Call) throws -> ProviderLoginParameters {
        try ProviderLoginParameters(call.fields, in: call.regions, isZone: TimeZones.contains)
    }

    @Sendable
    private static func prepareLogin(_ call: inout Call) throws -> BackgroundTask? {
        _ = try loginParameters(call)
        try call.checkTerminal()
        return try ask(call)
    }

    private static func login(_ identity: VerifiedIdentity, _ call: inout Call) throws -> Reply {
        let parameters = try loginParameters(call)
        let (provider, region) = (identity.provider.rawValue, parameters.place.region)
        func findOwner() throws -> UserID? {
            try call.tx.identities.owner(provider, identity.subject, app: call.app.id, region: region)
        }
        try call.lockForLogin { [try findOwner()] }
        if let owner = try findOwner(), let user = try call.tx.accounts.find(owner) {
            try keep(identity, for: user, call)
            return try SessionLifecycle.begin(for: user, on: parameters.terminal, isNew: false, &call)
        }
        var user = try newUser(identity, by: parameters, &call)
        try keep(identity, for: user, call)
        user.providers = [provider]
        return try SessionLifecycle.begin(for: user, on: parameters.terminal, isNew: true, &call)
    }

    private static func newUser(
        _ identity: VerifiedIdentity,
        by parameters: ProviderLoginParameters,
        _ call: inout Call
    ) throws -> User {
        var draft = try NewUser.draft(parameters.place, &call)
        if draft.user.username == nil {
            draft.user.username = "user-" + call.work.makeID("x").dropFirst(2)
            draft.user.ownsUsername = true
        }
        fill(&draft.user, from: identity)
        try parameters.profile?.merge(into: &draft.user)
        if draft.user.email == nil, let email = identity.email.flatMap({ EmailAddress($0) }) {
            draft.user.email = email
            draft.user.emailClaim = .given
        }
        return try NewUser.store(draft, &call)
    }

    /// Fills empty fields of the profile from the provider's data.
    private static func fill(_ user: inout User, from identity: VerifiedIdentity) {
        let isSilent = user.nickname.isEmpty || user.nickname == Anonymous.nickname(of: user.uid)
        if isSilent, let nickname = identity.nickname { user.nickname = nickname }
        if user.avatar == nil, user.avatarURL == nil { user.avatarURL = identity.avatarURL }
    }

    // MARK: Linking

    private static func link(_ identity: VerifiedIdentity, _ call: inout Call) throws -> Reply {
        var user = try call.user()
        let provider = identity.provider.rawValue
        let owner = try call.tx.identities.owner(provider, identity.subject, app: user.app, region: user.region)
        if let owner, owner != user.uid {
            throw Rejection(.duplicated, "This identity belongs to another user.", field: "params.credential")
        }
        if owner == nil, user.providers.contains(provider) {
            let message = "Another identity of this provider is linked; unlink it first."
            throw Rejection(.duplicated, message, field: "params.provider")
        }
        try keep(identity, for: user, call)
        if owner == nil { try call.audit(.providerLinked, of: user.uid, detail: provider) }
        fill(&user, from: identity)
        if user.isAnonymous {
            try NewUser.becomeReal(&user, &call)
        } else {
            try call.save(user, changed: owner == nil ? .provider : nil)
        }
        return .done
    }

    @Sendable
    private static func unlink(_ call: inout Call) throws -> Reply {
        var user = try call.user()
        let provider = try call.fields.provider().rawValue
        guard user.providers.contains(provider) else {
            throw Rejection(.resourceNotFound, "The provider is not linked.", field: "params.provider")
        }
        user.providers.removeAll { $0 == provider }
        guard user.waysIn > 0 else { throw Rejection(.forbidden, "The last way to log in can't be removed.") }
        try call.tx.identities.remove(provider, of: user.uid)
        try call.audit(.providerUnlinked, of: user.uid, detail: provider)
        call.work.log(.accountChanged, of: user, by: call.anybody(user.uid), changed: .provider)
        return .done
    }

    @Sendable
    private static func list(_ call: inout Call) throws -> Reply {
        let uid = try call.caller().uid
        let links = try call.tx.identities.all(of: uid).map { link in
            let name = ProviderName(rawValue: link.provider)
            let keepsToken = name.flatMap { call.app.providers[$0]?.keepsToken } ?? false
            let token = keepsToken ? link.accessToken : nil
            return AccountCodec.provider(link.provider, subject: link.subject, linkedAt: link.linkedAt, token: token)
        }
        return .result(AccountCodec.providers(links), isSecret: true)
    }
}
