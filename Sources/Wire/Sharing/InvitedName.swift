package import Domain

/// The name with which an inviter identifies the invited user.
package struct InvitedName: Sendable, Equatable {
    /// A name as the service looks it up: a login name or a user's id.
    package enum Name: Sendable, Equatable {
        case login(LoginName)
        case id(UserID)
    }

    /// The kind of name, as the inviter states it.
    package let kind: Sharing.AddresseeKind
    /// The name as the inviter wrote it.
    package let value: String
    /// The name as the service looks it up.
    package let name: Name

    /// Reads `type`, `value` and `countryCode`.
    init(_ fields: Fields, countryCode: String) throws(Rejection) {
        kind = try fields.required("type", fields.word("type", as: Sharing.AddresseeKind.self))
        value = try fields.requiredText("value", length: 1...320)
        switch kind {
        case .phone, .email, .username:
            let country = try fields.text("countryCode", length: 0...16) ?? CountryCode.ofE164(value) ?? countryCode
            try fields.check(countryCode: country)
            name = .login(try Self.login(value, kind, of: fields, countryCode: country))
        case .uid, .anonymous:
            guard let uid = UserID(value) else { throw fields.refuse("value", "is not a valid uid: \(UserKind.form)") }
            name = .id(uid)
        }
    }

    private static func login(
        _ value: String,
        _ kind: Sharing.AddresseeKind,
        of fields: Fields,
        countryCode: String
    ) throws(Rejection) -> LoginName {
        if kind == .phone || (kind == .username && Phone.isLike(value)) {
            return .address(try fields.phone(value, of: "value", countryCode: countryCode))
        }
        if kind == .email || value.contains("@") { return .address(try fields.email(value, of: "value")) }
        return .username(try Username(value, field: "params.guest.value"))
    }
}
