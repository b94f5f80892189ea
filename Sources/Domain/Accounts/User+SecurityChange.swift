extension User {
    /// A change that affects an account's security; the service notifies the user of it.
    package enum SecurityChange: String, Sendable, CaseIterable {
        case password, email, phone, provider
    }

    /// Returns the most important change of password, e-mail address or phone number since an earlier state; nil if
    /// nothing changed, or if the user was anonymous then.
    package func change(since before: User) -> SecurityChange? {
        guard !before.isAnonymous else { return nil }
        if passwordHash != before.passwordHash { return .password }
        if email?.key != before.email?.key { return .email }
        return phone?.text == before.phone?.text ? nil : .phone
    }
}
