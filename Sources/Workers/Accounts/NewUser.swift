import Domain
import Storage
import Wire

/// The creation of users, and the conversion of a terminal's anonymous user into a named user.
enum NewUser {
    /// A user that `store` will write: the anonymous user on the terminal, or a new user.
    struct Draft {
        var user: User
        /// Whether the user is the terminal's anonymous user.
        let isConverted: Bool
    }

    /// Returns a draft of the user that a request creates.
    static func draft(_ place: RequestRegion, _ call: inout Call) throws -> Draft {
        if let session = try call.tx.sessions.live(on: call.request.terminal), session.app == call.app.id,
            session.refusal(at: call.tx.now) == nil, let user = try call.tx.accounts.find(session.uid),
            user.isAnonymous, user.region == place.region
        {
            return Draft(user: user, isConverted: true)
        }
        return Draft(user: make(in: place, &call), isConverted: false)
    }

    /// Returns a user of the request's app with a new id and no other data yet.
    static func make(in place: RequestRegion, isAnonymous: Bool = false, _ call: inout Call) -> User {
        User(
            uid: UserID(trusted: call.work.makeID("u")),
            app: call.app.id,
            region: place.region,
            countryCode: place.countryCode,
            nickname: "",
            isAnonymous: isAnonymous,
            createdAt: call.tx.now
        )
    }

    /// Stores the user of a draft.
    static func store(_ draft: Draft, _ call: inout Call) throws -> User {
        var user = draft.user
        user.isAnonymous = false
        try call.quotas.take(call.namedQuotas)
        guard draft.isConverted else {
            try call.work.insert(user, deviceID: nil, by: call.anybody(user.uid))
            try call.audit(.registered, of: user.uid, detail: call.request.method)
            return user
        }
        try becomeReal(&user, &call)
        return user
    }

    /// Ends a user's anonymity, and logs out the user's other terminals, because they logged in with a `deviceId`.
    static func becomeReal(_ user: inout User, _ call: inout Call) throws {
        user.isAnonymous = false
        try call.save(user)
        try call.tx.accounts.forgetDeviceID(of: user.uid)
        let (own, actor) = (call.request.terminal, call.anybody(user.uid))
        try SessionLifecycle.endAll(of: user.uid, except: own, because: .terminated, by: actor, in: &call.work)
        try call.audit(.converted, of: user.uid, detail: call.request.method)
    }

    /// Gives a user a verified address, or throws if another user has verified it.
    ///
    /// Users who have not verified the address lose it.
    static func give(_ address: Address, to user: inout User, _ call: Call) throws {
        let isFree = try call.tx.accounts.prove(address, for: user.uid, app: call.app.id, region: user.region)
        guard isFree else { throw taken(address) }
        let isNew = user.isAnonymous || user.createdAt == call.tx.now
        user.gain(address, since: isNew ? nil : call.tx.now)
    }

    /// Refuses a username that another user has.
    static func checkFree(_ username: Username, for uid: UserID?, region: String, _ call: Call) throws {
        let owner = try call.tx.accounts.find(.username(username), app: call.app.id, region: region)
        guard let owner, owner.uid != uid else { return }
        throw Rejection(.duplicated, "This username is taken.", field: "params.username")
    }

    /// Returns the refusal of an address that another user has.
    static func taken(_ address: Address) -> Rejection {
        switch address {
        case .phone: Rejection(.duplicated, "Another account has this phone number.", field: "params.phone")
        case .email: Rejection(.duplicated, "Another account has this e-mail address.", field: "params.email")
        }
    }
}
