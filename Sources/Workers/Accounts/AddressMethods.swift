import Domain
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
            ? .phone(
                try AccountFields.phone(text, of: kind, in: fields, countryCode: place.countryCode)
            )
            : .email(try AccountFields.email(text, of: kind, in: fields))
        return (address, try Proof.required(fields), user)
    }

    @Sendable
    private static func prepare(_ call: inout Call, _ kind: String) throws -> BackgroundTask? {
        let (address, proof, user) = try parameters(call, kind)
        let scope = call.codeScope(.bind, address, region: user.region)
        return try CodeCheck.prepare(proof, of: scope, call)
    }

    @Sendable
    private static func bindPhone(_ call: inout Call) throws -> Reply { try bind(&call, "phone") }

    @Sendable
    private static func bindEmail(_ call: inout Call) throws -> Reply { try bind(&call, "email") }

    private static func bind(_ call: inout Call, _ kind: String) throws -> Reply {
        var (address, proof, user) = try parameters(call, kind)
        let scope = call.codeScope(.bind, address, region: user.region)
        guard try CodeCheck.use(proof, of: scope, call) else {
            return try CodeCheck.refusal(of: scope, call)
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
        try call.audit(.addressChanged, of: user.uid, detail: MaskedAddress.text(address.text))
        return .result(AccountCodec.changed(call.shown(user), profileError: refusal))
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
        return .done
    }
}
