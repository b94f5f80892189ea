import Domain
import Storage
import Wire

/// `account/register`, which creates a user with a name and a password.
enum Registration {
    static let methods: [String: Method] = ["account/register": Method(needsToken: false, prepare: prepare, run: run)]

    private static func parameters(_ call: Call) throws -> RegistrationParameters {
        try RegistrationParameters(call.fields, in: call.regions, isZone: TimeZones.contains)
    }

    /// Returns the requested password, or throws if it equals a requested name.
    private static func password(_ parameters: RegistrationParameters, _ call: Call) throws -> SecretBytes {
        let names =
            parameters.addresses.flatMap { LoginName.address($0).forms } + (parameters.username.map { [$0.text] } ?? [])
        return try SecretBytes(new: GivenPassword(first: call.fields), names: names)
    }

    private static func scopes(
        _ parameters: RegistrationParameters,
        _ call: Call
    ) throws -> [CodeScope] {
        try parameters.provable(call.app.policies)
            .map { call.codeScope(.register, $0, region: parameters.place.region) }
    }

    /// Returns whether the request must prove one of its addresses.
    ///
    /// If the request's e-mail address needs no proof, its phone number needs no proof either.
    private static func needsProof(_ parameters: RegistrationParameters, _ policies: AppPolicies) -> Bool {
        guard !parameters.addresses.isEmpty else { return false }
        return parameters.email == nil || policies.emailRegistration == .code
    }

    /// Refuses an unverified phone number as a username, because the number may be another person's.
    private static func checkNumber(_ parameters: RegistrationParameters, proved: Address?, _ call: Call) throws {
        guard parameters.isNamedByPhone, proved?.isPhone != true else { return }
        throw call.fields.refuse("username", "is a phone number that this request doesn't prove")
    }

    /// Sets the requested username, or by default the verified phone number.
    private static func giveUsername(_ parameters: RegistrationParameters, to user: inout User, _ call: Call) throws {
        if let username = parameters.username {
            let region = parameters.place.region
            try NewUser.checkFree(username, for: user.uid, region: region, call)
            user.username = username.text
            user.ownsUsername = true
        } else if let phone = user.phone, user.isPhoneVerified, user.username == nil || parameters.isNamedByPhone {
            user.username = phone.text
            user.ownsUsername = false
        }
    }

    // MARK: The path

    @Sendable
    private static func prepare(_ call: inout Call) throws -> BackgroundTask? {
        let parameters = try parameters(call)
        let scopes = try scopes(parameters, call)
        try call.checkTerminal()
        try call.quotas.check(call.namedQuotas)
        let password = try password(parameters, call)
        if let username = parameters.username {
            try NewUser.checkFree(username, for: nil, region: parameters.place.region, call)
        }
        if let proof = parameters.proof {
            return try CodeCheck.prepare(proof, ofAny: scopes, call)
        }
        if needsProof(parameters, call.app.policies) {
            throw call.fields.refuse("code", "is missing")
        }
        try checkNumber(parameters, proved: nil, call)
        return .hash(password)
    }

    @Sendable
    private static func run(_ call: inout Call) throws -> Reply {
        let parameters = try parameters(call)
        var proved: CodeScope?
        if let proof = parameters.proof {
            let scopes = try scopes(parameters, call)
            let tried = call.prepared.tried ?? scopes
            proved = try tried.first { try CodeCheck.matches(proof, of: $0, call) }
            guard proved != nil else { return try CodeCheck.refusal(of: scopes[0], call) }
        } else if needsProof(parameters, call.app.policies) {
            throw call.fields.refuse("code", "is missing")
        }
        try checkNumber(parameters, proved: proved?.address, call)
        if call.prepared.hash == nil { return .more(.hash(try password(parameters, call))) }
        try call.lockForLogin {
            try parameters.addresses.flatMap {
                try call.tx.accounts.holders(of: $0, app: call.app.id, region: parameters.place.region)
            }
        }
        if let proved, let proof = parameters.proof {
            guard try CodeCheck.use(proof, of: proved, call) else { return try CodeCheck.refusal(of: proved, call) }
        }
        let user = try make(parameters, proved: proved?.address, &call)
        return try SessionLifecycle.begin(for: user, on: parameters.terminal, isNew: true, &call)
    }

    /// Stores the user with the verified address, or else with an unverified e-mail address.
    ///
    /// Other addresses stay pending until they are verified.
    private static func make(_ parameters: RegistrationParameters, proved: Address?, _ call: inout Call) throws -> User
    {
        var draft = try NewUser.draft(parameters.place, &call)
        try parameters.profile?.merge(into: &draft.user)
        draft.user.passwordHash = call.prepared.hash
        if let proved { try NewUser.give(proved, to: &draft.user, call) }
        try giveUsername(parameters, to: &draft.user, call)
        let registered = proved == nil ? parameters.email : nil
        if let registered { try claim(registered, at: parameters.place, for: &draft.user, call) }
        let pending = parameters.addresses.filter { $0 != proved && $0 != registered.map(Address.email) }
        for address in pending { draft.user.writeDown(address, at: call.tx.now) }
        let user = try NewUser.store(draft, &call)
        if registered != nil {
            // Several users can claim the same address. The first of them to follow a link gets the address.
            let policies = call.app.policies
            let isLink = policies.emailRegistration == .link && policies.emailVerification
            try call.sendVerification(user, isLink ? .verifyEmail : .confirmation)
        }
        for address in pending { try call.proveOrNotifyOwner(address, of: user) }
        return user
    }

    /// Registers an e-mail address without proof.
    ///
    /// If the app reveals which accounts exist, an address of another account is refused. Otherwise, the caller
    /// doesn't learn whether another account has the address: the answer is the same for a taken and a free address,
    /// and one message is sent to the address. Even if the address is taken, the new user can log in with their own
    /// password.
    private static func claim(_ email: EmailAddress, at place: RequestRegion, for user: inout User, _ call: Call) throws
    {
        let owner = try call.tx.accounts.find(.address(.email(email)), app: call.app.id, region: place.region)
        if let owner, owner.uid != user.uid, call.app.policies.revealAccounts { throw NewUser.taken(.email(email)) }
        try limit(email, at: place, call)
        user.email = email
        user.emailClaim = owner == nil ? .registered : .beside
    }

    /// Limits an address's unverified registrations to `unprovedPerAddress` a day.
    ///
    /// At most `unprovedPerAddress` unverified accounts can log in with the address.
    private static func limit(_ email: EmailAddress, at place: RequestRegion, _ call: Call) throws {
        let digest = call.tx.hash(email.key, boundTo: "register \(call.app.id.text) \(place.region)")
        let subject = "register/" + digest.map { String($0, radix: 36) }.joined(separator: ".")
        let limit = AttemptTable.Limit(subject, perDay: call.limits.unprovedPerAddress)
        try call.tx.take(limit, elseSay: "This address was registered too often; try again later.")
    }
}
