import Domain
import Storage
import Wire

/// The methods `account/whoami`, `getUser`, `queryUsers` and `updateProfile`, which show and change profiles of users.
enum Profiles {
    static let methods: [String: Method] = [
        "account/whoami": Method(isReading: true, run: whoami),
        "account/getUser": Method(isReading: true, run: getUser),
        "account/queryUsers": Method(needsToken: false, isReading: true) { _ in
            throw Rejection(.forbidden, "Searching users is not allowed.")
        },
        "account/updateProfile": Method(locks: .user, run: update),
    ]

    @Sendable
    private static func whoami(_ call: inout Call) throws -> Reply {
        let user = try call.user()
        return .result(AccountCodec.whoami(call.shown(user), try call.caller()))
    }

    @Sendable
    private static func getUser(_ call: inout Call) throws -> Reply {
        let asker = try call.user()
        let uid = try call.fields.uid()
        if uid == asker.uid { return .result(call.shown(asker)) }
        guard let user = try call.tx.accounts.find(uid), user.app == asker.app, user.region == asker.region else {
            throw Rejection(.resourceNotFound, "There is no such user.", field: "params.uid")
        }
        return .result(AccountCodec.shown(user, publicURL: call.environment.publicURL))
    }

    // MARK: Changing

    @Sendable
    private static func update(_ call: inout Call) throws -> Reply {
        var user = try call.user()
        let fields = call.fields
        let place = (user.profile.latitude, user.profile.longitude)
        let username = try fields.username()
        if let username { try setUsername(username, of: &user, call) }
        let address = try fields.enteredAddress(of: user, in: call.regions)
        if let address { try writeDown(address, of: &user, &call) }
        var refusal: Rejection?
        do {
            try ProfileParameters(fields, isZone: TimeZones.contains).merge(into: &user)
        } catch {
            guard username != nil || address != nil else { throw error }
            refusal = error
        }
        try call.save(user)
        if place != (user.profile.latitude, user.profile.longitude) {
            // Schedules at sunrise or sunset run at times that depend on the user's location.
            try call.tx.replans.add(.user(user.uid))
            call.work.effects.wake(.schedule)
        }
        return .result(AccountCodec.changed(call.shown(user), profileError: refusal))
    }

    private static func setUsername(_ username: Username, of user: inout User, _ call: Call) throws {
        if user.ownsUsername, user.username == username.text { return }
        if user.username != nil, !call.app.policies.usernameChangeable {
            let message = "In this app, a username can't be changed once it is set."
            throw Rejection(.policyRejected, message, field: "params.username")
        }
        try NewUser.checkFree(username, for: user.uid, region: user.region, call)
        user.username = username.text
        user.ownsUsername = true
        try call.audit(.usernameChanged, of: user.uid)
    }

    /// Stores an unverified address; until it is verified, logins use the address on which the account relies, if any.
    private static func writeDown(_ address: Address, of user: inout User, _ call: inout Call) throws {
        let before = user
        user.writeDown(address, at: call.tx.now)
        guard user != before else { return }
        if !address.isPhone { try call.tx.links.void(.verifyEmail, of: user.uid) }
        try call.audit(.addressChanged, of: user.uid, detail: MaskedAddress.text(address.text))
        guard !user.relies(onAddressLike: address) || user.pending(like: address) == address
        else { return }
        try call.proveOrNotifyOwner(address, of: user)
    }
}
