import Domain
import Storage
import Wire

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
