import Domain
import JSON
import Storage
import Wire

/// `account/register`: a user with a name of his own and a password.
enum Registration {
    static let methods: [String: Method] = [
        "account/register": Method(needsToken: false, prepare: prepare, run: run)
    ]

    /// What is answered where phones can't register.
    static let phoneIsOff = Rejection(
        .policyRejected,
        "This app does not register phone numbers.",
        field: "params.phone"
    )

    /// What a registration says, checked by its form.
    private struct Wish {
        var place: Place
        var name: LoginName
        var proof: Proof?
        var profile: Profile?
        var terminal: TerminalInfo

        init(_ call: Call) throws {
            let fields = call.fields
            place = try Place(call)
            name = try Registration.name(fields, place.countryCode)
            terminal = try TerminalInfo(fields)
            profile = try Ask.nestedProfile(fields)
            proof = name.address == nil ? nil : try Proof(fields)
            if case .phone = name, !call.app.policies.phoneRegistration { throw phoneIsOff }
        }

        /// Whether the address must be proved at once.
        func needsProof(_ policies: AppPolicies) -> Bool {
            switch name {
            case .phone: true
            case .email: policies.emailRegistration == .code
            case .username, .external: false
            }
        }
    }

    /// One of phone, email and username; a username that could be another's address is none.
    static func name(_ fields: Fields, _ countryCode: String) throws -> LoginName {
        let username = try fields.text("username", length: 0...320)
        let address = try Ask.optionalAddress(fields, countryCode)
        switch (username, address) {
        case (let username?, nil): return .username(try Username(username))
        case (nil, let address?): return LoginName(address)
        default:
            throw fields.refuse(
                "username",
                "is missing or one too many: give one of phone, email and username"
            )
        }
    }

    // MARK: The path

    @Sendable
    private static func prepare(_ call: inout Call) throws -> Preparation? {
        let wish = try Wish(call)
        try call.checkTerminal()
        let password = try Ask.newPassword(call.fields, names: names(wish.name))
        if case .username(let username) = wish.name {
            try NewUser.checkFree(username, for: nil, wish.place.region, call)
        }
        if wish.proof == nil, wish.needsProof(call.app.policies) {
            throw call.fields.refuse("code", "is missing")
        }
        guard let proof = wish.proof, let address = wish.name.address else {
            return .hash(password)
        }
        return try CodeCheck.prepare(proof, .register, address, wish.place.region, call)
    }

    /// The forms of a name that can't be its password.
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
        let wish = try Wish(call)
        if let proof = wish.proof, let address = wish.name.address, call.prepared.hash == nil {
            guard try CodeCheck.matches(proof, .register, address, wish.place.region, call) else {
                return try CodeCheck.refusal(.register, address, wish.place.region, call)
            }
            return .more(.hash(try Ask.newPassword(call.fields, names: names(wish.name))))
        }
        var draft = try NewUser.draft(wish.place, &call)
        if let profile = wish.profile { draft.user.profile.merge(profile) }
        draft.user.passwordHash = call.prepared.hash
        switch (wish.name.address, wish.proof) {
        case (let address?, let proof?):
            guard try CodeCheck.use(proof, .register, address, wish.place.region, call) else {
                return try CodeCheck.refusal(.register, address, wish.place.region, call)
            }
            try NewUser.give(address, to: &draft.user, call)
        case (.email(let email), nil):
            return try runUnproved(email, wish, draft, &call)
        default:
            guard case .username(let username) = wish.name else {
                throw call.fields.refuse("code", "is missing")
            }
            try NewUser.checkFree(username, for: draft.user.uid, wish.place.region, call)
            draft.user.username = username.text
            draft.user.ownsUsername = true
        }
        let user = try NewUser.store(draft, &call)
        return try SessionLife.begin(&call, user, wish.terminal, isNew: true)
    }

    /// Registers an e-mail address that nobody has proved yet.
    ///
    /// With one that another account has it goes on as with a free one: the same answer, a login by
    /// one's own password, and one message to the address.
    private static func runUnproved(
        _ email: EmailAddress,
        _ wish: Wish,
        _ draft: NewUser.Draft,
        _ call: inout Call
    ) throws -> Reply {
        var draft = draft
        let owner = try call.tx.accounts.find(
            .email(email),
            app: call.app.id,
            region: wish.place.region
        )
        if let owner, owner.uid != draft.user.uid, call.app.policies.revealAccounts {
            throw NewUser.taken(.email(email))
        }
        try limit(email, wish.place, call)
        draft.user.email = email
        draft.user.emailClaim = owner == nil ? .registered : .beside
        let user = try NewUser.store(draft, &call)
        let hasLinks =
            call.app.policies.emailRegistration == .link && call.app.policies.emailVerification
        if let owner, owner.isEmailVerified || !hasLinks {
            // Counts where a link would, or the next ones would tell that there was none.
            if hasLinks { try countLink(email, user, call) }
            try tell(.addressTaken, owner.email ?? email, owner, &call)
            try call.audit(.addressTaken, owner.uid)
        } else if hasLinks {
            // One of those who only said that it is theirs may be right: the first link followed
            // decides.
            try call.sendVerification(user)
        } else {
            try tell(.confirmation, email, user, &call)
        }
        return try SessionLife.begin(&call, user, wish.terminal, isNew: true)
    }

    private static func countLink(_ email: EmailAddress, _ user: User, _ call: Call) throws {
        let recipient = LinkMail.Recipient(
            uid: user.uid,
            app: call.app.id,
            address: email.text,
            countryCode: user.countryCode
        )
        try LinkMail.limit(.verifyEmail, recipient, call.limits, in: call.tx)
    }

    private static func tell(
        _ template: Delivery.Template,
        _ email: EmailAddress,
        _ user: User,
        _ call: inout Call
    ) throws {
        try call.leave(
            template,
            to: .email(email),
            countryCode: user.countryCode,
            language: user.profile.language
        )
    }

    /// One address is registered unproved a few times a day only, whoever has it: no more often than
    /// there are accounts beside its owner's that can log in by it.
    private static func limit(_ email: EmailAddress, _ place: Place, _ call: Call) throws {
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
