import Domain
import Storage
import Wire

/// `account/bindPhone`, `bindEmail` and `requestEmailVerification`, with which a user proves that an address belongs to
/// the user.
enum AddressMethods {
    static let methods: [String: Method] = [
        "account/bindPhone": Method(prepare: { try prepare(&$0, .phone) }) { try bind(&$0, .phone) },
        "account/bindEmail": Method(prepare: { try prepare(&$0, .email) }) { try bind(&$0, .email) },
        "account/requestEmailVerification": Method(locks: .user, run: requestVerification),
    ]

    private static func prepare(_ call: inout Call, _ kind: BindAddressParameters.Kind) throws -> BackgroundTask? {
        let user = try call.user()
        let parameters = try BindAddressParameters(call.fields, kind, of: user, in: call.regions)
        let scope = call.codeScope(.bind, parameters.address, region: user.region)
        return try CodeCheck.prepare(parameters.proof, of: scope, call)
    }

    private static func bind(_ call: inout Call, _ kind: BindAddressParameters.Kind) throws -> Reply {
        var user = try call.user()
        let parameters = try BindAddressParameters(call.fields, kind, of: user, in: call.regions)
        let address = parameters.address
        if try call.lock(holdersOf: address, region: user.region) { user = try call.user() }
        let scope = call.codeScope(.bind, address, region: user.region)
        guard try CodeCheck.use(parameters.proof, of: scope, call) else {
            return try CodeCheck.refusal(of: scope, call)
        }
        let before = user
        let old = user.verifiedAddresses.first { $0.isPhone == address.isPhone }
        try NewUser.give(address, to: &user, call)
        if case .email = address { try call.tx.links.void(.verifyEmail, of: user.uid) }
        var refusal: Rejection?
        do {
            let profile = try ProfileParameters(nestedIn: call.fields, isZone: TimeZones.contains)
            try profile?.merge(into: &user)
        } catch {
            refusal = error
        }
        if user.isAnonymous {
            try NewUser.becomeReal(&user, &call)
        } else {
            try call.save(user)
        }
        if let old, old != address { try call.notifyOldAddress(old, of: before, new: address) }
        call.notifyTerminals(of: address, user)
        try call.audit(.addressChanged, of: user.uid, detail: MaskedAddress.text(address.text))
        return .result(AccountCodec.changed(call.shown(user), profileError: refusal))
    }

    @Sendable
    private static func requestVerification(_ call: inout Call) throws -> Reply {
        let user = try call.user()
        guard call.app.policies.emailVerification else {
            throw Rejection(.policyRejected, "This app does not verify e-mail addresses.")
        }
        guard user.email != nil else { throw Rejection(.resourceNotFound, "The account has no e-mail address.") }
        try call.sendVerification(user)
        return .done
    }
}
