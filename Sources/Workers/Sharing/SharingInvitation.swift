import Domain
import QRCode
import Sodium
import Storage
import Wire

/// `share/invite`: makes an invitation by name or as a code.
enum SharingInvitation {
    @Sendable
    static func run(_ call: inout Call) throws -> Reply {
        let parameters = try InvitationParameters(call.fields)
        let binding = try DeviceMethods.binding(call)
        try BindingExpiry.endGuests(of: binding.did, in: &call.work)
        let bindings = try Bindings(of: binding.did, by: call.actor(), in: call.work)
        _ = try BindingRules.decide(.invite, by: binding.uid, among: bindings.present)
        let guest = try parameters.guest.map { try Invited($0, call) }
        if let guest, guest.user?.uid == binding.uid {
            throw call.fields.refuse("guest.value", "names yourself")
        }
        try checkCounts(binding, call)
        if let guest, guest.user == nil, call.app.policies.revealAccounts {
            return .refusal(
                Rejection(
                    .resourceNotFound,
                    "There is no user of this name.",
                    field: "params.guest.value"
                )
            )
        }
        if let guest, try isTaken(guest, among: bindings, call) {
            return .refusal(
                Rejection(
                    .duplicated,
                    "This user is bound or invited already.",
                    field: "params.guest"
                )
            )
        }
        return try make(parameters, for: guest, by: binding, &call)
    }

    private static func isTaken(
        _ guest: Invited,
        among bindings: Bindings,
        _ call: Call
    ) throws -> Bool {
        if bindings.present.contains(where: { $0.uid == guest.user?.uid }) { return true }
        // Compares the name only: the answer must not tell that two names belong to one user.
        return try call.tx.sharings.isInvited(bindings.did, name: guest.key)
    }

    /// Limits invitations, so that an inviter can neither flood users nor try out many names.
    private static func checkCounts(_ binding: Binding, _ call: Call) throws {
        let subject = "invite:\(binding.uid.text)"
        let max = call.limits.invitationsPerHour
        if let wait = try call.tx.attempts.retryAfter(subject, max: max, windowSeconds: Quota.hour)
        {
            throw Rejection(.tooManyRequests, "Too many invitations; wait.", retryAfter: wait)
        }
        try call.tx.attempts.add(subject, windowSeconds: Quota.hour)
        let waiting = try call.tx.sharings.open(of: binding.did)
            .filter { $0.status(at: call.tx.now) == .pending }
        guard waiting.count < call.limits.invitationsPerDevice else {
            throw Rejection(.forbidden, "Too many invitations to this device wait for an answer.")
        }
    }

    private static func make(
        _ parameters: InvitationParameters,
        for guest: Invited?,
        by binding: Binding,
        _ call: inout Call
    ) throws -> Reply {
        let life =
            parameters.way == .user
            ? call.limits.invitationSeconds : call.limits.invitationCodeSeconds
        let sharing = Sharing(
            id: SharingID(trusted: call.work.makeID("i")),
            did: binding.did,
            app: call.app.id,
            inviter: binding.uid,
            guest: guest?.user?.uid,
            addressee: guest?.addressee,
            way: parameters.way,
            access: parameters.access,
            guestMinutes: parameters.guestMinutes,
            createdAt: call.tx.now,
            expiresAt: call.tx.now.adding(seconds: life)
        )
        var drawn: SharingCodec.Code?
        if parameters.way == .qrcode {
            let random = Sodium.randomBytes(SharingRules.codeBytes)
            drawn = try picture(of: SharingRules.codePrefix + Sodium.base64URL(random))
        }
        try call.tx.sharings.insert(sharing, name: guest?.key, code: drawn?.text)
        try SharingPush.notify(sharing, in: &call.work)
        return .result(SharingCodec.invited(sharing, code: drawn), isSecret: true)
    }

    private static func picture(of text: String) throws -> SharingCodec.Code {
        guard let code = QRCode(text) else {
            throw Rejection(.internal, "The code can't be drawn.")
        }
        return .init(text: text, svg: code.svg, png: Sodium.base64(code.png()))
    }
}

/// The addressee of an invitation by name, with or without an account.
struct Invited {
    /// The form in which names are compared.
    let key: String
    /// The name as shown to the inviter from now on.
    let addressee: Sharing.Addressee
    /// The user with this name in the inviter's app and region; nil if there is none.
    let user: User?

    init(_ fields: Fields, _ call: Call) throws {
        let search = try NameSearch(fields, call)
        let name = try search.find(call)
        key = name.key
        user = name.user
        addressee = Sharing.Addressee(search.kind, masked: name.masked)
    }
}

/// The search for a user by the name that an inviter gives.
private struct NameSearch {
    typealias Name = (key: String, masked: String, user: User?)

    let kind: Sharing.AddresseeKind
    private let value: String
    private let fields: Fields
    private let inviter: User

    init(_ fields: Fields, _ call: Call) throws {
        guard let kind = try fields.word("type", as: Sharing.AddresseeKind.self) else {
            throw fields.refuse("type", "is missing")
        }
        self.kind = kind
        self.fields = fields
        value = try fields.requiredText("value", length: 1...320)
        inviter = try call.user()
    }

    /// Returns the forms of the name, and the user who has it.
    func find(_ call: Call) throws -> Name {
        switch kind {
        case .phone, .email, .username:
            let country = try fields.text("countryCode", length: 0...16) ?? inviter.countryCode
            guard CountryCode.accepts(country) else {
                throw fields.refuse("countryCode", "must be 1 to 3 digits, such as 49")
            }
            return try findByLoginName(countryCode: country, call)
        case .uid, .anonymous: return try findByID(call)
        }
    }

    /// Finds the user of a name for logging in.
    ///
    /// An address must be proved: otherwise a user could claim another one's address and get the invitations meant for
    /// its owner.
    private func findByLoginName(countryCode: String, _ call: Call) throws -> Name {
        let name: LoginName
        if kind == .phone || (kind == .username && Phone.isLike(value)) {
            let phone = try AccountFields.phone(
                value,
                of: "value",
                in: fields,
                countryCode: countryCode
            )
            name = .phone(phone)
        } else if kind == .email || value.contains("@") {
            name = .email(try AccountFields.email(value, of: "value", in: fields))
        } else {
            name = .username(try Username(value, field: "params.guest.value"))
        }
        let found = try call.tx.accounts.find(name, app: call.app.id, region: inviter.region)
        if case .username(let username) = name {
            return (name.key, MaskedAddress.name(username.text), found)
        }
        let address = name.address
        let isProved = found.map { user in
            address.map { user.verifiedAddresses.contains($0) } == true
                || !call.app.policies.emailVerification
        }
        return (
            name.key, MaskedAddress.text(address?.text ?? value), isProved == true ? found : nil
        )
    }

    /// Finds a user by id; an anonymous user also by the secret of the installation.
    private func findByID(_ call: Call) throws -> Name {
        guard let uid = UserID(value) else { throw fields.refuse("value", "is not a valid uid") }
        var found = try call.tx.accounts.find(uid)
        if kind == .anonymous {
            if found?.isAnonymous != true { found = nil }
            if found == nil, (16...64).contains(value.utf8.count) {
                found = try call.tx.accounts.findAnonymous(
                    deviceID: value,
                    app: call.app.id,
                    region: inviter.region
                )
            }
        }
        let user = found.flatMap {
            $0.app == call.app.id && $0.region == inviter.region ? $0 : nil
        }
        return ("uid \(value)", MaskedAddress.text(value), user)
    }
}
