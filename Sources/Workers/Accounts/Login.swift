import Domain
import Storage
import Wire

/// The methods `account/login` and `account/loginOrRegister`, which take a name, and either a password or a code.
enum Login {
    static let methods: [String: Method] = [
        "account/login": Method(needsToken: false, prepare: prepare, run: run),
        "account/loginOrRegister": Method(needsToken: false, prepare: prepareExternal, run: runExternal),
    ]

    static let wrong = Rejection(
        .invalidCredentials,
        "The name or the password is wrong."
    )

    private struct Wanted {
        let name: LoginName
        /// Whether a name in the form of an e-mail address may also be a username.
        var isAnyName = false
        let place: RequestRegion
        let terminal: TerminalInfo

        init(_ parameters: LoginParameters) {
            name = parameters.name
            isAnyName = parameters.isAnyName
            place = parameters.place
            terminal = parameters.terminal
        }

        init(_ parameters: ExternalLoginParameters, at place: RequestRegion) {
            name = parameters.name
            terminal = parameters.terminal
            self.place = place
        }
    }

    // MARK: The path

    @Sendable
    private static func prepare(_ call: inout Call) throws -> BackgroundTask? {
        let parameters = try LoginParameters(call.fields, in: call.regions)
        try call.checkTerminal()
        if let proof = parameters.proof, let address = parameters.name.address {
            try revealUnknown(address, region: parameters.place.region, call)
            let scope = call.codeScope(.login, address, region: parameters.place.region)
            return try CodeCheck.prepare(proof, of: scope, call)
        }
        return try preparePassword(Wanted(parameters), call)
    }

    /// Refuses a login with an unknown address if the login can't register the address.
    ///
    /// If the app doesn't reveal which accounts exist, nothing is refused here.
    private static func revealUnknown(
        _ address: Address,
        region: String,
        _ call: Call
    ) throws {
        guard !address.isPhone || !call.app.policies.phoneRegistration else { return }
        try call.reveal(
            call.tx.accounts.find(proved: address, app: call.app.id, region: region)
        )
    }

    /// Counts a try and returns a password check, which takes equally long for unknown users.
    private static func preparePassword(
        _ wanted: Wanted,
        _ call: Call
    ) throws -> BackgroundTask {
        let password = SecretBytes(compared: try GivenPassword(compared: call.fields))
        let region = wanted.place.region
        let user = try call.tx.accounts.find(wanted.name, app: call.app.id, region: region)
        let others = try others(wanted, than: user, call)
        try call.reveal(user ?? others.compactMap(\.self).first)
        let tries = try PasswordTries.begin(wanted.name, region: region, meaning: known([user] + others), call)
        let hashes = ([user] + others).map { user in
            user.flatMap { tries.silentlyLocked.contains($0.uid) ? nil : $0.passwordHash }
        }
        return hashes.count == 1 ? .verify(password, against: hashes[0]) : .verifyEach(password, against: hashes)
    }

    private static func known(_ places: [User?]) -> [User] {
        var seen: Set<UserID> = []
        return places.compactMap(\.self).filter { seen.insert($0.uid).inserted }
    }

    /// Returns the users other than `owner` who can log in with an e-mail address, padded with nils.
    ///
    /// The list contains users who registered the address without proof, if the app allows that. If the request gives
    /// the address as `account`, the list also contains the user who has the address as a username.
    ///
    /// The list always has the same length. So neither the answer nor its timing reveals whether a name is taken. At
    /// most `unprovedPerAddress` unverified users, including an unverified `owner`, can log in with the address.
    private static func others(
        _ wanted: Wanted,
        than owner: User?,
        _ call: Call
    ) throws -> [User?] {
        guard case .address(.email(let email)) = wanted.name else { return [] }
        let (accounts, region) = (call.tx.accounts, wanted.place.region)
        var others: [User?] = []
        if call.app.policies.emailRegistration != .code {
            let places = call.limits.unprovedPerAddress
            let isUnproved = owner.map { !$0.isEmailVerified } ?? false
            others = try accounts.beside(email, app: call.app.id, region: region, limit: places - (isUnproved ? 1 : 0))
            others += Array(repeating: nil, count: places - others.count)
        }
        if wanted.isAnyName {
            others.append(
                try wanted.name.asUsername.flatMap { try accounts.find($0, app: call.app.id, region: region) }
            )
        }
        return others
    }

    @Sendable
    private static func run(_ call: inout Call) throws -> Reply {
        let parameters = try LoginParameters(call.fields, in: call.regions)
        if let proof = parameters.proof, let address = parameters.name.address {
            return try runCode(proof, of: address, parameters: parameters, &call)
        }
        return try runPassword(Wanted(parameters), &call)
    }

    /// Logs in a user whose password was verified, if the account still has the verified hash.
    private static func runPassword(_ wanted: Wanted, _ call: inout Call) throws -> Reply {
        let (name, region) = (wanted.name, wanted.place.region)
        try call.lockForLogin { [try findMeant(wanted, call).meant?.uid] }
        let (first, meant) = try findMeant(wanted, call)
        guard var user = meant, let matched = call.prepared.matched else {
            try call.audit(.loginFailed, of: first?.uid, detail: call.request.method)
            return .refusal(wrong)
        }
        try Passwords.checkCurrent(matched, user)
        // The try no longer counts as a failure for this user. The try still counts for other users whom the name could
        // mean.
        try PasswordTries.succeeded(name, region: region, of: user, call)
        if let rehashed = call.prepared.rehashed {
            user.passwordHash = rehashed
            try call.tx.accounts.save(user)
        }
        return try SessionLifecycle.begin(for: user, on: wanted.terminal, isNew: false, &call)
    }

    /// Returns the user found by the name, and the user to log in.
    ///
    /// The user to log in is the one whose password was verified. If no user has the verified password, `runPassword`
    /// refuses the login, whichever user is returned.
    private static func findMeant(_ wanted: Wanted, _ call: Call) throws -> (first: User?, meant: User?) {
        let region = wanted.place.region
        let first = try call.tx.accounts.find(wanted.name, app: call.app.id, region: region)
        let users = known([first] + (try others(wanted, than: first, call)))
        let matched = call.prepared.matched
        return (first, users.first { $0.passwordHash == matched } ?? users.first)
    }

    /// Logs in a user with a code, or registers an unknown phone number.
    private static func runCode(
        _ proof: AddressProof,
        of address: Address,
        parameters: LoginParameters,
        _ call: inout Call
    ) throws -> Reply {
        let region = parameters.place.region
        let scope = call.codeScope(.login, address, region: region)
        try call.lockForLogin { try call.tx.accounts.holders(of: address, app: call.app.id, region: region) }
        guard try CodeCheck.use(proof, of: scope, call) else { return try CodeCheck.refusal(of: scope, call) }
        let known = try call.tx.accounts.find(proved: address, app: call.app.id, region: region)
        if let known { return try SessionLifecycle.begin(for: known, on: parameters.terminal, isNew: false, &call) }
        guard case .phone(let phone) = address else { return try CodeCheck.refusal(of: scope, call) }
        guard call.app.policies.phoneRegistration else { throw AppPolicies.phoneIsOff }
        var draft = try NewUser.draft(parameters.place, &call)
        try NewUser.give(address, to: &draft.user, call)
        if draft.user.username == nil {
            draft.user.username = phone.text
            draft.user.ownsUsername = false
        }
        let user = try NewUser.store(draft, &call)
        return try SessionLifecycle.begin(for: user, on: parameters.terminal, isNew: true, &call)
    }

    // MARK: The app's own ids

    private static func external(
        _ call: Call
    ) throws -> (RequestRegion, ExternalLoginParameters) {
        let place = try RequestRegion(call.fields, in: call.regions)
        guard call.app.policies.uidLogin else {
            throw Rejection(.policyRejected, "This app has no user ids of its own.")
        }
        return (place, try ExternalLoginParameters(call.fields))
    }

    @Sendable
    private static func prepareExternal(_ call: inout Call) throws -> BackgroundTask? {
        let (place, parameters) = try external(call)
        let name = parameters.name
        try call.checkTerminal()
        if try call.tx.accounts.find(name, app: call.app.id, region: place.region) != nil {
            return try preparePassword(Wanted(parameters, at: place), call)
        }
        try call.quotas.check(call.namedQuotas)
        return .hash(try SecretBytes(new: GivenPassword(first: call.fields), names: name.forms))
    }

    @Sendable
    private static func runExternal(_ call: inout Call) throws -> Reply {
        let (place, parameters) = try external(call)
        let name = parameters.name
        guard let hash = call.prepared.hash else { return try runPassword(Wanted(parameters, at: place), &call) }
        try call.lockForLogin { [] }
        let known = try call.tx.accounts.find(name, app: call.app.id, region: place.region)
        guard known == nil else {
            // Another request registered the id first. A retry compares the password with the new account's password.
            throw Rejection(.unavailable, "The id was just registered; send the request again.", retryAfter: 1)
        }
        var user = NewUser.make(in: place, &call)
        if case .external(let id) = name { user.externalUID = id }
        user.passwordHash = hash
        try call.quotas.take(call.namedQuotas)
        try call.work.insert(user, deviceID: nil, by: call.anybody(user.uid))
        try call.audit(.registered, of: user.uid, detail: call.request.method)
        if parameters.makesHome {
            try HomeMethods.make(Home.firstName, at: nil, for: user.uid, &call)
        }
        return try SessionLifecycle.begin(
            for: user,
            on: parameters.terminal,
            isNew: true,
            &call
        )
    }
}
