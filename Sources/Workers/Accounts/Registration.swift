import Domain
import Storage
import Wire

/// `account/register`: creates a user with a name and a password.
enum Registration {
    static let methods: [String: Method] = [
        "account/register": Method(needsToken: false, prepare: prepare, run: run)
    ]

    /// The answer if phones can't register.
    static let phoneIsOff = Rejection(
        .policyRejected,
        "This app does not register phone numbers.",
        field: "params.phone"
    )

    /// The parameters of a registration, checked for their form.
    private struct RegistrationParameters {
        var place: RequestRegion
        /// The phone or the e-mail address, if any.
        var address: Address?
        /// The requested username, next to the address or alone.
        var username: Username?
        var proof: Proof?
        var terminal: TerminalInfo

        init(_ call: Call) throws {
            let fields = call.fields
            place = try RequestRegion(call)
            address = try AccountFields.optionalAddress(fields, place.countryCode)
            username = try fields.text("username", length: 0...320).map { try Username($0) }
            guard address != nil || username != nil else {
                throw fields.refuse(
                    "username",
                    "is missing: give a phone or an e-mail address, a username, or both"
                )
            }
            terminal = try TerminalInfo(fields)
            _ = try AccountFields.nestedProfile(fields)
            proof = address == nil ? nil : try Proof(fields)
            if case .phone = address, !call.app.policies.phoneRegistration { throw phoneIsOff }
        }

        /// Whether the address must be proved at once.
        func needsProof(_ policies: AppPolicies) -> Bool {
            switch address {
            case .phone: true
            case .email: policies.emailRegistration == .code
            case nil: false
            }
        }

        /// The names that can't be the password.
        var names: [String] {
            (address.map { Registration.names(LoginName($0)) } ?? [])
                + (username.map { [$0.text] } ?? [])
        }

        /// Gives the user the requested username; a user with a proved phone and no requested name gets its
        /// number.
        func giveUsername(to user: inout User, _ call: Call) throws {
            if let username {
                try NewUser.checkFree(username, for: user.uid, region: place.region, call)
                user.username = username.text
                user.ownsUsername = true
            } else if user.username == nil, let phone = user.phone, user.isPhoneVerified {
                user.username = phone.text
                user.ownsUsername = false
            }
        }
    }

    // MARK: The path

    @Sendable
    private static func prepare(_ call: inout Call) throws -> BackgroundTask? {
        let parameters = try RegistrationParameters(call)
        try call.checkTerminal()
        try call.quotas.check(call.namedQuotas)
        let password = try AccountFields.newPassword(call.fields, names: parameters.names)
        if let username = parameters.username {
            try NewUser.checkFree(username, for: nil, region: parameters.place.region, call)
        }
        if parameters.proof == nil, parameters.needsProof(call.app.policies) {
            throw call.fields.refuse("code", "is missing")
        }
        guard let proof = parameters.proof, let address = parameters.address else {
            return .hash(password)
        }
        let scope = call.codeScope(.register, address, region: parameters.place.region)
        return try CodeCheck.prepare(proof, of: scope, call)
    }

    /// Returns the forms of a name that can't be its password.
    static func names(_ name: LoginName) -> [String] {
        switch name {
        case .phone(let phone): [phone.text, phone.national]
        case .email(let email): [email.text]
        case .username(let username): [username.text]
        case .external(let id): [id]
        }
    }

    @Sendable
    private static func run(_ call: inout Call) throws -> Reply {
        let parameters = try RegistrationParameters(call)
        if let proof = parameters.proof, let address = parameters.address, call.prepared.hash == nil
        {
            let scope = call.codeScope(.register, address, region: parameters.place.region)
            guard try CodeCheck.matches(proof, of: scope, call) else {
                return try CodeCheck.refusal(of: scope, call)
            }
            return .more(.hash(try AccountFields.newPassword(call.fields, names: parameters.names)))
        }
        var draft = try NewUser.draft(parameters.place, &call)
        try AccountFields.mergeNestedProfile(call.fields, into: &draft.user)
        draft.user.passwordHash = call.prepared.hash
        switch (parameters.address, parameters.proof) {
        case (let address?, let proof?):
            let scope = call.codeScope(.register, address, region: parameters.place.region)
            guard try CodeCheck.use(proof, of: scope, call) else {
                return try CodeCheck.refusal(of: scope, call)
            }
            try NewUser.give(address, to: &draft.user, call)
        case (.email(let email), nil):
            try parameters.giveUsername(to: &draft.user, call)
            return try runUnproved(email, parameters: parameters, draft: draft, &call)
        case (.phone, nil): throw call.fields.refuse("code", "is missing")
        case (nil, _): break
        }
        try parameters.giveUsername(to: &draft.user, call)
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
        let subject = "register/" + digest.map { String($0, radix: 36) }.joined(separator: ".")
        let wait = try call.tx.attempts.retryAfter(
            subject,
            max: call.limits.unprovedPerAddress,
            windowSeconds: 86_400
        )
        if let wait {
            throw Rejection(
                .tooManyRequests,
                "This address was registered too often; try again later.",
                retryAfter: wait
            )
        }
        try call.tx.attempts.add(subject, windowSeconds: 86_400)
    }
}
