import Domain
import Storage
import Wire

/// The methods `account/loginAnonymous` and `convertAnonymous`.
enum Anonymous {
    static let methods: [String: Method] = [
        "account/loginAnonymous": Method(needsToken: false, run: login),
        "account/convertAnonymous": Method(prepare: prepareConversion, run: convert),
    ]

    // MARK: Logging in

    @Sendable
    private static func login(_ call: inout Call) throws -> Reply {
        let parameters = try AnonymousLoginParameters(call.fields, in: call.regions)
        let (place, deviceID) = (parameters.place, parameters.deviceID)
        func find() throws -> User? {
            try deviceID.flatMap {
                try call.tx.accounts.findAnonymous(deviceID: $0, app: call.app.id, region: place.region)
            }
        }
        try call.lockForLogin { [try find()?.uid] }
        let known = try find()
        let replaced = deviceID == nil ? try replaceable(call) : nil
        let user = try known ?? newUser(place, deviceID: deviceID, &call)
        let reply = try SessionLifecycle.begin(for: user, on: parameters.terminal, isNew: known == nil, &call)
        if let replaced { try Cancellation.replace(replaced, call) }
        return reply
    }

    /// Returns the terminal's anonymous user if a new anonymous user will replace this user, or else nil.
    ///
    /// A new user replaces an old one that has no devices and no way to log in again.
    private static func replaceable(_ call: Call) throws -> UserID? {
        let terminal = call.request.terminal
        guard let session = try call.tx.sessions.live(on: terminal), session.app == call.app.id,
            let user = try call.tx.accounts.find(session.uid), user.isAnonymous,
            try !call.tx.accounts.hasDeviceID(user.uid), try call.tx.bindings.count(ofUser: user.uid) == 0,
            try call.tx.sessions.live(of: user.uid).allSatisfy({ $0.terminal == terminal })
        else { return nil }
        return user.uid
    }

    /// Returns the default nickname of an anonymous user.
    static func nickname(of uid: UserID) -> String { "user-\(uid.text.suffix(6))" }

    private static func newUser(_ place: RequestRegion, deviceID: String?, _ call: inout Call) throws -> User {
        try call.quotas.take(call.anonymousQuotas)
        var user = NewUser.make(in: place, isAnonymous: true, &call)
        user.nickname = nickname(of: user.uid)
        try call.work.insert(user, deviceID: deviceID, by: call.anybody(user.uid))
        try call.audit(.registered, of: user.uid, detail: call.request.method)
        return user
    }

    // MARK: Becoming real

    private static func parameters(_ call: Call) throws -> (User, ConversionParameters) {
        let user = try call.user()
        guard user.isAnonymous else {
            throw Rejection(.forbidden, "The user is not anonymous.")
        }
        let parameters = try ConversionParameters(
            call.fields,
            of: user,
            in: call.regions,
            policies: call.app.policies
        )
        return (user, parameters)
    }

    private static func password(_ parameters: ConversionParameters, _ call: Call) throws -> SecretBytes {
        try SecretBytes(new: GivenPassword(first: call.fields), names: parameters.name.forms)
    }

    @Sendable
    private static func prepareConversion(_ call: inout Call) throws -> BackgroundTask? {
        let (user, parameters) = try parameters(call)
        let password = try password(parameters, call)
        switch parameters {
        case .username(let username):
            try NewUser.checkFree(username, for: user.uid, region: user.region, call)
            return .hash(password)
        case .phone(let address, let proof):
            let scope = call.codeScope(.register, address, region: user.region)
            return try CodeCheck.prepare(proof, of: scope, call)
        }
    }

    @Sendable
    private static func convert(_ call: inout Call) throws -> Reply {
        var (user, parameters) = try parameters(call)
        let holders = { [tx = call.tx, region = user.region, app = call.app.id] in
            guard case .phone(let address, _) = parameters else { return [UserID?]() }
            return try tx.accounts.holders(of: address, app: app, region: region)
        }
        if try call.lock(users: holders) { (user, parameters) = try self.parameters(call) }
        switch parameters {
        case .phone(let address, let proof):
            let scope = call.codeScope(.register, address, region: user.region)
            if call.prepared.hash == nil {
                guard try CodeCheck.matches(proof, of: scope, call) else {
                    return try CodeCheck.refusal(of: scope, call)
                }
                return .more(.hash(try password(parameters, call)))
            }
            guard try CodeCheck.use(proof, of: scope, call) else { return try CodeCheck.refusal(of: scope, call) }
            try NewUser.give(address, to: &user, call)
        case .username(let username):
            try NewUser.checkFree(username, for: user.uid, region: user.region, call)
            user.username = username.text
            user.ownsUsername = true
        }
        user.passwordHash = call.prepared.hash
        try NewUser.becomeReal(&user, &call)
        return .result(AccountCodec.changed(call.shown(user)))
    }
}
