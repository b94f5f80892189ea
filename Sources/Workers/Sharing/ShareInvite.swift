import Domain
import JSON
import QRCode
import Sodium
import Storage
import Wire

/// `share/invite`: makes an invitation by name or as a code.
enum ShareInvite {
    private static let hour: Int64 = 3600

    @Sendable
    static func run(_ call: inout Call) throws -> Reply {
        let parameters = try InvitationParameters(call.fields)
        let binding = try DeviceMethods.binding(call)
        let bindings = try Bindings(of: binding.did, by: call.actor(), call.topics, in: call.tx)
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
        if let guest, try isTaken(guest, bindings, call) {
            return .refusal(
                Rejection(
                    .duplicated,
                    "This user is bound or invited already.",
                    field: "params.guest"
                )
            )
        }
        return try make(parameters, guest, binding, &call)
    }

    private static func isTaken(
        _ guest: Invited,
        _ bindings: Bindings,
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
        if let wait = try call.tx.attempts.retryAfter(subject, max: max, windowSeconds: hour) {
            throw Rejection(.tooManyRequests, "Too many invitations; wait.", retryAfter: wait)
        }
        try call.tx.attempts.add(subject, windowSeconds: hour)
        let waiting = try call.tx.sharings.open(of: binding.did)
            .filter { $0.status(at: call.tx.now) == .pending }
        guard waiting.count < call.limits.invitationsPerDevice else {
            throw Rejection(.forbidden, "Too many invitations to this device wait for an answer.")
        }
    }

    private static func make(
        _ parameters: InvitationParameters,
        _ guest: Invited?,
        _ binding: Binding,
        _ call: inout Call
    ) throws -> Reply {
        let life =
            parameters.way == .user
            ? call.limits.invitationSeconds : call.limits.invitationCodeSeconds
        let sharing = Sharing(
            id: SharingID(trusted: call.ids.make("i", at: call.tx.now)),
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
        var result: JSONObject = [
            "sharingId": .string(sharing.id.text),
            "expiresAt": .integer(sharing.expiresAt.milliseconds),
        ]
        var text: String?
        if parameters.way == .qrcode {
            let random = Sodium.randomBytes(SharingRules.codeBytes)
            let code = SharingRules.codePrefix + Sodium.base64URL(random)
            result["qrCode"] = try picture(of: code)
            text = code
        }
        try call.tx.sharings.insert(sharing, name: guest?.key, code: text)
        try SharingPush.notify(sharing, call.topics, in: call.tx, effects: &call.effects)
        return .result(result, isSecret: true)
    }

    private static func picture(of text: String) throws -> JSONValue {
        guard let code = QRCode(text) else {
            throw Rejection(.internal, "The code can't be drawn.")
        }
        return .object([
            "text": .string(text), "svg": .string(code.svg),
            "png": .string(Sodium.base64(code.png())),
        ])
    }

    /// The requested properties of an invitation.
    private struct InvitationParameters {
        var way: Sharing.Way
        var access: Binding.Access
        var guestMinutes: Int64?
        var guest: Fields?

        init(_ fields: Fields) throws {
            guard let way = try fields.word("way", as: Sharing.Way.self) else {
                throw fields.refuse("way", "is missing: user or qrcode")
            }
            self.way = way
            access = try fields.word("access", as: Binding.Access.self) ?? .control
            guestMinutes = try fields.integer("guestMinutes", in: SharingRules.guestMinutes)
            guest = try fields.fields("guest")
            if way == .user, guest == nil { throw fields.refuse("guest", "is missing") }
            if way == .qrcode, guest != nil {
                throw fields.refuse(
                    "guest",
                    "must be absent: any user who scans the code may answer it"
                )
            }
        }
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
        guard let kind = try fields.word("type", as: Sharing.AddresseeKind.self) else {
            throw fields.refuse("type", "is missing")
        }
        let value = try fields.requiredText("value", length: 1...320)
        let inviter = try call.user()
        let name: Name
        switch kind {
        case .phone, .email, .username:
            let country = try fields.text("countryCode", length: 0...16) ?? inviter.countryCode
            guard CountryCode.accepts(country) else {
                throw fields.refuse("countryCode", "must be 1 to 3 digits, such as 49")
            }
            name = try Self.named(kind, value, country, fields, inviter, call)
        case .uid, .anonymous: name = try Self.known(kind, value, fields, inviter, call)
        }
        key = name.key
        user = name.user
        addressee = Sharing.Addressee(kind, masked: name.masked)
    }

    private typealias Name = (key: String, masked: String, user: User?)

    /// Finds the user of a name for logging in.
    ///
    /// An address must be proved: otherwise a user could claim another one's address and get the invitations meant for
    /// its owner.
    private static func named(
        _ kind: Sharing.AddresseeKind,
        _ value: String,
        _ country: String,
        _ fields: Fields,
        _ inviter: User,
        _ call: Call
    ) throws -> Name {
        let name: LoginName
        if kind == .phone || (kind == .username && Phone.isLike(value)) {
            name = .phone(try AccountFields.phone(value, "value", fields, country))
        } else if kind == .email || value.contains("@") {
            name = .email(try AccountFields.email(value, "value", fields))
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
    private static func known(
        _ kind: Sharing.AddresseeKind,
        _ value: String,
        _ fields: Fields,
        _ inviter: User,
        _ call: Call
    ) throws -> Name {
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
