import Domain
import JSON
import Storage
import Wire

/// `account/bindPhone`, `bindEmail`, `requestEmailVerification`: addresses that a user proves.
enum AddressMethods {
    static let methods: [String: Method] = [
        "account/bindPhone": Method(prepare: { try prepare(&$0, "phone") }, run: bindPhone),
        "account/bindEmail": Method(prepare: { try prepare(&$0, "email") }, run: bindEmail),
        "account/requestEmailVerification": Method(run: requestVerification),
    ]

    private static func parameters(_ call: Call, _ kind: String) throws -> (Address, Proof, User) {
        let fields = call.fields
        let place = try RequestRegion(call)
        let user = try call.user()
        guard place.region == user.region else {
            throw fields.refuse("countryCode", "belongs to another region than the user")
        }
        let text = try fields.requiredText(kind, length: 0...320)
        let address: Address =
            kind == "phone"
            ? .phone(try AccountFields.phone(text, kind, fields, place.countryCode))
            : .email(try AccountFields.email(text, kind, fields))
        return (address, try Proof.required(fields), user)
    }

    @Sendable
    private static func prepare(_ call: inout Call, _ kind: String) throws -> BackgroundTask? {
        let (address, proof, user) = try parameters(call, kind)
        return try CodeCheck.prepare(proof, .bind, address, user.region, call)
    }

    @Sendable
    private static func bindPhone(_ call: inout Call) throws -> Reply { try bind(&call, "phone") }

    @Sendable
    private static func bindEmail(_ call: inout Call) throws -> Reply { try bind(&call, "email") }

    private static func bind(_ call: inout Call, _ kind: String) throws -> Reply {
        var (address, proof, user) = try parameters(call, kind)
        guard try CodeCheck.use(proof, .bind, address, user.region, call) else {
            return try CodeCheck.refusal(.bind, address, user.region, call)
        }
        let before = user
        let old = user.verifiedAddresses.first { $0.isPhone == address.isPhone }
        try NewUser.give(address, to: &user, call)
        if case .email = address { try call.tx.links.void(.verifyEmail, of: user.uid) }
        var refusal: Rejection?
        do {
            try AccountFields.mergeNestedProfile(call.fields, into: &user)
        } catch let rejection as Rejection {
            refusal = rejection
        }
        if user.isAnonymous {
            try NewUser.becomeReal(&user, &call)
        } else {
            try call.tx.accounts.save(user)
        }
        if let old, old != address { try call.notifyOldAddress(old, of: before, new: address) }
        call.notifyTerminals(of: address, user)
        try call.audit(.addressChanged, user.uid, MaskedAddress.text(address.text))
        var result: JSONObject = ["user": call.shown(user)]
        result["profileError"] = refusal.map { AnswerCodec.error($0) }
        return .result(result)
    }

    @Sendable
    private static func requestVerification(_ call: inout Call) throws -> Reply {
        let user = try call.user()
        guard call.app.policies.emailVerification else {
            throw Rejection(.policyRejected, "This app does not verify e-mail addresses.")
        }
        guard user.email != nil else {
            throw Rejection(.resourceNotFound, "The account has no e-mail address.")
        }
        if !user.isEmailVerified { try call.sendVerification(user) }
        return .result([:])
    }
}
