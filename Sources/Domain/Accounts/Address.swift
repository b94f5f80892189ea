/// The address that a code is sent to: a phone or a mailbox.
///
/// The rules in words (reference: accounts#addresses).
package enum Address: Hashable, Sendable {
    case phone(Phone)
    case email(EmailAddress)

    /// The key by which addresses are compared.
    package var key: String {
        switch self {
        case .phone(let phone): "phone " + phone.text
        case .email(let email): "email " + email.key
        }
    }

    /// Whether it is a phone.
    package var isPhone: Bool {
        if case .phone = self { true } else { false }
    }

    /// The address as it is shown and stored.
    package var text: String {
        switch self {
        case .phone(let phone): phone.text
        case .email(let email): email.text
        }
    }
}

/// A name that a user logs in with.
package enum LoginName: Hashable, Sendable {
    case address(Address)
    case username(Username)
    /// The app's own id for the user.
    case external(String)

    /// The key by which names are compared.
    package var key: String {
        switch self {
        case .address(let address): address.key
        case .username(let username): username.email.map { Address.email($0).key } ?? "username " + username.key
        case .external(let id): "uid " + id
        }
    }

    /// The name as an address, if it is one.
    package var address: Address? {
        if case .address(let address) = self { address } else { nil }
    }

    /// The forms of the name that can't be its password.
    package var forms: [String] {
        switch self {
        case .address(.phone(let phone)): [phone.text, phone.national]
        case .address(.email(let email)): [email.text]
        case .username(let username): [username.text]
        case .external(let id): [id]
        }
    }

    /// The e-mail address as a username, if it can be one.
    package var asUsername: LoginName? {
        guard case .address(.email(let email)) = self else { return nil }
        return (try? Username(email.text)).map { .username($0) }
    }
}

/// The masking of an address, so that its owner recognises it and others don't learn it.
package enum MaskedAddress {
    /// Masks all but an e-mail address's first letter and domain, or a number's last two digits.
    package static func text(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@") else {
            return "•••" + address.suffix(2)
        }
        return address[..<at].prefix(1) + "•••" + address[at...]
    }

    /// Masks all but the first character of a name, or all of a name of one character.
    package static func name(_ name: String) -> String { name.count > 1 ? name.prefix(1) + "•••" : "•••" }
}
