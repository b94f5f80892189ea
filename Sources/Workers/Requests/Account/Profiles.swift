import Domain
import JSON
import Storage
import Wire

/// `account/whoami`, `getUser`, `queryUsers`, `updateProfile`: who a user is, to himself and others.
enum Profiles {
    static let methods: [String: Method] = [
        "account/whoami": Method(isReading: true, run: whoami),
        "account/getUser": Method(isReading: true, run: getUser),
        "account/queryUsers": Method(needsToken: false, isReading: true) { _ in
            throw Rejection(.forbidden, "Nobody may search other users.")
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
            user.profile.merge(try Ask.profile(fields))
        } catch let rejection as Rejection where hasNames && isAnythingLeft(fields) {
            refusal = rejection
        }
        try call.tx.accounts.save(user)
        if place != (user.profile.latitude, user.profile.longitude) {
            // The sun keeps other hours there.
            try call.tx.replans.add(.user(user.uid))
            call.owed.wake(.schedule)
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

    /// Stores a phone or an e-mail address that is only said: it logs nobody in.
    private static func writeDown(_ user: inout User, _ call: inout Call) throws {
        let fields = call.fields
        guard fields.object["phone"] != nil || fields.object["email"] != nil else { return }
        let country =
            fields.object["phone"] == nil && fields.object["countryCode"] == nil
            ? user.countryCode : try Place(call).countryCode
        let address = try Ask.address(fields, country)
        if user.verifiedAddresses.contains(address) { return }
        let before = user
        let old = user.verifiedAddresses.first { $0.isPhone == address.isPhone }
        switch address {
        case .phone(let phone):
            user.lose(address)
            user.phone = phone
            user.isPhoneVerified = false
            user.phoneSince = call.tx.now
        case .email(let email):
            user.email = email
            user.emailClaim = .given
            user.emailSince = call.tx.now
            try call.tx.links.void(.verifyEmail, of: user.uid)
            try call.sendVerification(user)
        }
        try call.audit(.addressChanged, user.uid, MaskedAddress.text(address.text))
        guard let old else { return }
        try call.tellOldAddress(old, of: before, new: address)
        call.tellTerminals(of: address, user)
    }
}
