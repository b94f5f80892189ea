extension User {
    /// A change that affects an account's security; the service notifies the user of it.
    package enum SecurityChange: String, Sendable, CaseIterable {
        case password, email, phone, provider
    }

    /// Returns the most important change since an earlier state of the account; nil if the password, the e-mail address
    /// and the phone number are unchanged, or if the user was anonymous.
    package func change(since before: User) -> SecurityChange? {
        guard !before.isAnonymous else { return nil }
        if passwordHash != before.passwordHash { return .password }
        if email?.key != before.email?.key { return .email }
        return phone?.text == before.phone?.text ? nil : .phone
    }
}
