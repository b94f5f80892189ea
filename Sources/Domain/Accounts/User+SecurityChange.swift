extension User {
    /// A change that affects an account's security, and of which the service notifies the user.
    package enum SecurityChange: String, Sendable, CaseIterable {
        case password, email, phone, provider
    }

    /// Returns the most important change of password or address, or nil if nothing changed or the user was anonymous
    /// before.
    package func change(since before: User) -> SecurityChange? {
        guard !before.isAnonymous else { return nil }
        if passwordHash != before.passwordHash { return .password }
        if email?.key != before.email?.key { return .email }
        return phone?.text == before.phone?.text ? nil : .phone
    }
}
