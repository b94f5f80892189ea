import Domain

/// The `account/…` methods and `app/info`, grouped by subject in this folder's files.
enum AccountMethods {
    static let all: [String: Method] = [
        Codes.methods, Registration.methods, Login.methods, Anonymous.methods, Passwords.methods,
        Profiles.methods, AddressMethods.methods, Avatars.methods, ProviderMethods.methods,
        AppInfo.methods,
        [
            "account/logout": Method(locks: .user, run: logout),
            "account/cancel": CancelMethod.method,
        ],
    ].reduce(into: [:]) { all, methods in
        all.merge(methods) { first, _ in first }
    }

    @Sendable
    private static func logout(_ call: inout Call) throws -> Reply {
        let session = try call.caller()
        try SessionLifecycle.end(session, because: .loggedOut, by: call.actor(), in: &call.work)
        if call.app.policies.anonymous == .discard {
            try Cancellation.discard(session.uid, &call)
        }
        return .done
    }
}
