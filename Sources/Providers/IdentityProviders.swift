package import Domain
package import Logging

/// Asks identity providers who somebody is.
package final class IdentityProviders: Sendable {
    private let logger: Logger

    /// Makes it; nothing is asked yet.
    package init(logger: Logger) { self.logger = logger }

    /// Verifies what an app has from a provider, with that provider and for that app.
    package func verify(
        _ credential: ProviderCredential,
        for app: ProviderSettings
    ) async throws(ProviderFailure) -> VerifiedIdentity {
        guard app.isEnabled, app.provider == credential.provider else { throw .disabled }
        throw .unavailable(retryAfter: 60)
    }

    /// Ends the connections to all providers.
    package func shutdown() async {}
}
