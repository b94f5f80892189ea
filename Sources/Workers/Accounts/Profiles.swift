import Domain
import JSON
import Storage
import Wire

/// `account/whoami`, `getUser`, `queryUsers`, `updateProfile`: a user's profile as the user and others see it.
enum Profiles {
    static let methods: [String: Method] = [
        "account/whoami": Method(isReading: true, run: whoami),
        "account/getUser": Method(isReading: true, run: getUser),
        "account/queryUsers": Method(needsToken: false, isReading: true) { _ in
            throw Rejection(.forbidden, "Searching users is not allowed.")
        },
        "account/updateProfile": Method(run: update),
    ]

    @Sendable
    private static func whoami(_ call: inout Call) throws -> Reply {
        let user = try call.user()
        return .result([
            "user": call.shown(user),
            "session": .object(AccountCodec.encode(try call.caller())),
        ])
    }

    @Sendable
    private static func getUser(_ call: inout Call) throws -> Reply {
        let asker = try call.user()
        let uid = try call.fields.requiredID("uid", as: UserID.self)
        if uid == asker.uid, let own = call.shown(asker).objectValue { return .result(own) }
        guard let user = try call.tx.accounts.find(uid), user.app == asker.app,
            user.region == asker.region
        else { throw Rejection(.resourceNotFound, "There is no such user.", field: "params.uid") }
        return .result(AccountCodec.shown(user, publicURL: call.environment.publicURL))
    }

    // MARK: Changing

    @Sendable
    private static func update(_ call: inout Call) throws -> Reply {
        var user = try call.user()
        let fields = call.fields
        let place = (user.profile.latitude, user.profile.longitude)
        let hasNames = ["username", "phone", "email"].contains { fields.object[$0] != nil }
        if fields.object["username"] != nil { try setUsername(&user, call) }
        try writeDown(&user, &call)
        var refusal: Rejection?
        do {
            try AccountFields.merge(try AccountFields.profile(fields), of: fields, into: &user)
        } catch let rejection as Rejection where hasNames && isAnythingLeft(fields) {
            refusal = rejection
        }
        try call.tx.accounts.save(user)
        if place != (user.profile.latitude, user.profile.longitude) {
            // Sunrise and sunset depend on the place.
            try call.tx.replans.add(.user(user.uid))
            call.effects.wake(.schedule)
        }
        var result: JSONObject = ["user": call.shown(user)]
        result["profileError"] = refusal.map { AnswerCodec.error($0) }
        return .result(result)
    }

    private static func isAnythingLeft(_ fields: Fields) -> Bool { !fields.object.members.isEmpty }

    private static func setUsername(_ user: inout User, _ call: Call) throws {
        let text = try call.fields.requiredText("username", length: 0...320)
        let username = try Username(text)
        let isSame = user.ownsUsername && user.username == username.text
        if isSame { return }
        if user.username != nil, !call.app.policies.usernameChangeable {
            throw Rejection(
                .policyRejected,
                "A username that is set can't be changed in this app.",
                field: "params.username"
            )
        }
        try NewUser.checkFree(username, for: user.uid, user.region, call)
        user.username = username.text
        user.ownsUsername = true
        try call.audit(.usernameChanged, user.uid)
    }

    /// Stores a phone or an e-mail address without proof: it can't be used to log in, and the proved one stays in
    /// use until this one is proved.
    private static func writeDown(_ user: inout User, _ call: inout Call) throws {
        let fields = call.fields
        guard fields.object["phone"] != nil || fields.object["email"] != nil else { return }
        let country =
            fields.object["phone"] == nil && fields.object["countryCode"] == nil
            ? user.countryCode : try RequestRegion(call).countryCode
        let address = try AccountFields.address(fields, country)
        let before = user
        user.writeDown(address, at: call.tx.now)
        guard user != before else { return }
        if !address.isPhone { try call.tx.links.void(.verifyEmail, of: user.uid) }
        try call.audit(.addressChanged, user.uid, MaskedAddress.text(address.text))
        guard !user.relies(onAddressLike: address) || user.pending(like: address) == address
        else { return }
        try tellWhom(address, user, &call)
    }

    /// Sends the link that proves an address; if another user has it, informs that user instead.
    private static func tellWhom(_ address: Address, _ user: User, _ call: inout Call) throws {
        let name = LoginName(address)
        let owner = try call.tx.accounts.find(name, app: user.app, region: user.region)
        if let owner, owner.uid != user.uid, call.app.policies.revealAccounts {
            throw NewUser.taken(address)
        }
        if address.isPhone {
            if let owner, owner.uid != user.uid { try tellOnce(address, owner, &call) }
        } else if call.app.policies.emailVerification {
            try call.sendVerification(user)
        } else if let owner, owner.uid != user.uid, owner.isEmailVerified {
            try tellOnce(address, owner, &call)
        }
    }

    /// Informs the owner of an address, once a day.
    ///
    /// It never refuses: since nothing is sent to a free address, a refusal would tell which of the two it was.
    private static func tellOnce(
        _ address: Address,
        _ owner: User,
        _ call: inout Call
    ) throws {
        let subject = "taken/\(owner.uid.text)/\(address.isPhone ? "phone" : "email")"
        let day: Int64 = 86_400
        guard try call.tx.attempts.retryAfter(subject, max: 1, windowSeconds: day) == nil
        else { return }
        try call.tx.attempts.add(subject, windowSeconds: day)
        try call.notifyTaken(address, owner)
    }
}
