extension User {
    /// A change that affects an account's security.
    ///
    /// The service notifies the user of each such change.
    package enum SecurityChange: String, Sendable, CaseIterable {
        case password, email, phone, provider
    }

    /// Returns the most important change to the user's password and addresses since the state `before`.
    ///
    /// The result is nil if the password and the addresses are the same, or if the user was anonymous in `before`.
    package func change(since before: User) -> SecurityChange? {
        guard !before.isAnonymous else { return nil }
        if passwordHash != before.passwordHash { return .password }
        if email?.key != before.email?.key { return .email }
        return phone?.text == before.phone?.text ? nil : .phone
    }
}
