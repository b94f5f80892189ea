import Domain
import Storage
import Wire

/// `account/register`: creates a user with a name and a password.
enum Registration {
    static let methods: [String: Method] = [
        "account/register": Method(needsToken: false, prepare: prepare, run: run)
    ]

    private static func parameters(_ call: Call) throws -> RegistrationParameters {
        let parameters = try RegistrationParameters(
            call.fields,
            in: call.regions,
            isZone: TimeZones.contains
        )
        if case .phone = parameters.address, !call.app.policies.phoneRegistration {
            throw AppPolicies.phoneIsOff
        }
        return parameters
    }

    /// Returns the password, which can't be one of the names.
    private static func password(
        _ parameters: RegistrationParameters,
        _ call: Call
    ) throws -> SecretBytes {
        let names =
            (parameters.address.map { LoginName($0).forms } ?? [])
            + (parameters.username.map { [$0.text] } ?? [])
        return try SecretBytes(new: GivenPassword(first: call.fields), names: names)
    }

    /// Whether the address must be proved at once.
    private static func needsProof(_ address: Address?, _ policies: AppPolicies) -> Bool {
        switch address {
        case .phone: true
        case .email: policies.emailRegistration == .code
        case nil: false
        }
    }

    /// Gives the user the requested username; a user with a proved phone and no requested name gets its
    /// number.
    private static func giveUsername(
        _ parameters: RegistrationParameters,
        to user: inout User,
        _ call: Call
    ) throws {
        if let username = parameters.username {
            let region = parameters.place.region
            try NewUser.checkFree(username, for: user.uid, region: region, call)
            user.username = username.text
            user.ownsUsername = true
        } else if user.username == nil, let phone = user.phone, user.isPhoneVerified {
            user.username = phone.text
            user.ownsUsername = false
        }
    }

    // MARK: The path

    @Sendable
    private static func prepare(_ call: inout Call) throws -> BackgroundTask? {
        let parameters = try parameters(call)
        try call.checkTerminal()
        try call.quotas.check(call.namedQuotas)
        let password = try password(parameters, call)
        if let username = parameters.username {
            try NewUser.checkFree(username, for: nil, region: parameters.place.region, call)
        }
        if parameters.proof == nil, needsProof(parameters.address, call.app.policies) {
            throw call.fields.refuse("code", "is missing")
        }
        guard let proof = parameters.proof, let address = parameters.address else {
            return .hash(password)
        }
        let scope = call.codeScope(.register, address, region: parameters.place.region)
        return try CodeCheck.prepare(proof, of: scope, call)
    }

    @Sendable
    private static func run(_ call: inout Call) throws -> Reply {
        let parameters = try parameters(call)
        if let proof = parameters.proof, let address = parameters.address, call.prepared.hash == nil
        {
            let scope = call.codeScope(.register, address, region: parameters.place.region)
            guard try CodeCheck.matches(proof, of: scope, call) else {
                return try CodeCheck.refusal(of: scope, call)
            }
            return .more(.hash(try password(parameters, call)))
        }
        try call.lockForLogin {
            try parameters.address.map {
                try call.tx.accounts.holders(
                    of: $0,
                    app: call.app.id,
                    region: parameters.place.region
                )
            } ?? []
        }
        var draft = try NewUser.draft(parameters.place, &call)
        try parameters.profile?.merge(into: &draft.user)
        draft.user.passwordHash = call.prepared.hash
        switch (parameters.address, parameters.proof) {
        case (let address?, let proof?):
            let scope = call.codeScope(.register, address, region: parameters.place.region)
            guard try CodeCheck.use(proof, of: scope, call) else {
                return try CodeCheck.refusal(of: scope, call)
            }
            try NewUser.give(address, to: &draft.user, call)
        case (.email(let email), nil):
            try giveUsername(parameters, to: &draft.user, call)
            return try runUnproved(email, parameters: parameters, draft: draft, &call)
        case (.phone, nil): throw call.fields.refuse("code", "is missing")
        case (nil, _): break
        }
        try giveUsername(parameters, to: &draft.user, call)
        let user = try NewUser.store(draft, &call)
        return try SessionLifecycle.begin(for: user, on: parameters.terminal, isNew: true, &call)
    }

    /// Registers an e-mail address without a proof.
    ///
    /// An address that another account has is treated like a free one: the same answer, a login by the new user's own
    /// password, and one message to the address.
    private static func runUnproved(
        _ email: EmailAddress,
        parameters: RegistrationParameters,
        draft: NewUser.Draft,
        _ call: inout Call
    ) throws -> Reply {
        var draft = draft
        let owner = try call.tx.accounts.find(
            .email(email),
            app: call.app.id,
            region: parameters.place.region
        )
        if let owner, owner.uid != draft.user.uid, call.app.policies.revealAccounts {
            throw NewUser.taken(.email(email))
        }
        try limit(email, at: parameters.place, call)
        draft.user.email = email
        draft.user.emailClaim = owner == nil ? .registered : .beside
        let user = try NewUser.store(draft, &call)
        // One of the users who claimed the address may own it: the first link followed decides.
        let policies = call.app.policies
        let isLink = policies.emailRegistration == .link && policies.emailVerification
        try call.sendVerification(user, isLink ? .verifyEmail : .confirmation)
        return try SessionLifecycle.begin(for: user, on: parameters.terminal, isNew: true, &call)
    }

    /// Limits unproved registrations of one address in a day, to the number of accounts besides its owner's that can
    /// log in by it.
    private static func limit(_ email: EmailAddress, at place: RequestRegion, _ call: Call) throws {
        let digest = call.tx.hash(
            email.key,
            boundTo: "register \(call.app.id.text) \(place.region)"
        )
        let limit = AttemptTable.Limit(
            "register/" + digest.map { String($0, radix: 36) }.joined(separator: "."),
            max: call.limits.unprovedPerAddress,
            windowSeconds: Quota.day
        )
        try call.tx.take(limit, elseSay: "This address was registered too often; try again later.")
    }
}
