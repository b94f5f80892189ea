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
    case phone(Phone)
    case email(EmailAddress)
    case username(Username)
    /// The app's own id for the user.
    case external(String)

    /// The key by which names are compared.
    package var key: String {
        switch self {
        case .phone(let phone): Address.phone(phone).key
        case .email(let email): Address.email(email).key
        case .username(let username):
            username.email.map { Address.email($0).key } ?? "username " + username.key
        case .external(let id): "uid " + id
        }
    }

    /// The name as an address, if it is one.
    package var address: Address? {
        switch self {
        case .phone(let phone): .phone(phone)
        case .email(let email): .email(email)
        case .username, .external: nil
        }
    }

    /// The forms of the name that can't be its password.
    package var forms: [String] {
        switch self {
        case .phone(let phone): [phone.text, phone.national]
        case .email(let email): [email.text]
        case .username(let username): [username.text]
        case .external(let id): [id]
        }
    }

    /// The e-mail address as a username, if it can be one.
    package var asUsername: LoginName? {
        guard case .email(let email) = self else { return nil }
        return (try? Username(email.text)).map { .username($0) }
    }

    /// Makes the login name of an address.
    package init(_ address: Address) {
        switch address {
        case .phone(let phone): self = .phone(phone)
        case .email(let email): self = .email(email)
        }
    }
}
