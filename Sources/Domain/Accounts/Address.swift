/// The address to which a code is sent: a phone number or an e-mail address.
///
/// The documentation describes the rules for addresses (reference: accounts#addresses).
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

    /// Whether the address is a phone number.
    package var isPhone: Bool {
        if case .phone = self { true } else { false }
    }

    /// The text of the address, as shown and stored.
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

    /// The name as an address, or nil if the name isn't an address.
    package var address: Address? {
        if case .address(let address) = self { address } else { nil }
    }

    /// The forms of the login name; the account's password must differ from each of them.
    package var forms: [String] {
        switch self {
        case .address(.phone(let phone)): [phone.text, phone.national]
        case .address(.email(let email)): [email.text]
        case .username(let username): [username.text]
        case .external(let id): [id]
        }
    }

    /// The name as a username if the name is an e-mail address.
    ///
    /// The value is nil if the name isn't an e-mail address, or if the address can't be a username.
    package var asUsername: LoginName? {
        guard case .address(.email(let email)) = self else { return nil }
        return (try? Username(email.text)).map { .username($0) }
    }
}

/// The masking of addresses and names so that only their owners recognise them.
package enum MaskedAddress {
    /// Keeps only an e-mail address's first letter and domain, or a phone number's last two digits.
    package static func text(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@") else { return "•••" + address.suffix(2) }
        return address[..<at].prefix(1) + "•••" + address[at...]
    }

    /// Masks all characters of a name except the first.
    ///
    /// A name with only one character is masked completely.
    package static func name(_ name: String) -> String { name.count > 1 ? name.prefix(1) + "•••" : "•••" }
}
