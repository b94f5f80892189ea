package import Domain
import Glibc
package import Logging

/// A verifier of the credentials that users get from identity providers.
///
/// The service never trusts an app's statement about who a user is. ID tokens are verified with the issuer's published
/// keys. Codes and access tokens are verified by a request to the provider. Each credential must have been issued for
/// the app that the user logs in to. Times, sizes and numbers of calls are limited for each provider. A provider that
/// hangs therefore delays only its own logins, and only briefly.
package final class IdentityProviders: Sendable {
    /// The limits on calls, which tests can lower.
    package struct Limits: Sendable {
        /// The longest time for one verification.
        package var timeout = Duration.seconds(8)
        /// The number of failures in a row after which a provider is blocked for a time.
        package var failuresMax = 5

        /// Makes the default limits.
        package init() {}
    }

    /// The maximum number of calls to one provider that can run at the same time.
    private static let callsMax = 32
    /// The time for which a provider is blocked after failures.
    private static let pause = Duration.seconds(30)

    private let client = WebClient()
    private let line: ProviderLine
    private let keys: IssuerKeys
    private let breaker: Breaker.Limits
    private let logger: Logger
    private let timeout: Duration
    private let clock: @Sendable () -> Int64

    /// Makes the verifier, without contacting any provider.
    ///
    /// - Parameters:
    ///   - limits: The limits on calls.
    ///   - logger: Logs a warning when a provider can't be used. Requests are never logged.
    ///   - clock: Returns the time in seconds since 1970.
    package init(
        limits: Limits = Limits(),
        logger: Logger,
        clock: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
    ) {
        breaker = Breaker.Limits(failuresMax: limits.failuresMax, pause: Self.pause, callsMax: Self.callsMax)
        line = ProviderLine(client: client, limits: breaker, logger: logger)
        keys = IssuerKeys(line: line, timeout: limits.timeout)
        timeout = limits.timeout
        self.logger = logger
        self.clock = clock
    }

    /// Verifies that a provider issued a credential, and issued it for the given app.
    ///
    /// Verification takes at most as long as the limits allow. Verification can be repeated, except with a code, which
    /// works only once.
    package func verify(
        _ credential: ProviderCredential,
        for app: ProviderSettings
    ) async throws(ProviderFailure) -> VerifiedIdentity {
        guard app.isEnabled, app.provider == credential.provider, !app.clientIDs.isEmpty else { throw .disabled }
        var identity: VerifiedIdentity
        if case .idToken(let text, let user, let nonce) = credential.proof {
            identity = try await verify(text, user, nonce: nonce, app: app)
        } else {
            identity = try await provider(app, over: line).verify(credential)
        }
        identity.nickname = VerifiedIdentity.shown(nickname: identity.nickname ?? credential.nickname)
        identity.avatarURL = VerifiedIdentity.shown(picture: identity.avatarURL)
        return identity
    }

    /// Tests a provider without a user: fetches the issuer's keys, or sends an invalid credential.
    ///
    /// The keys are fetched even if they are cached. The test also contacts a provider that has failed or that the app
    /// has disabled. The test takes at most as long as the limits allow.
    /// - Throws: `ProviderFailure.unavailable` with the reason.
    package func examine(_ app: ProviderSettings) async throws(ProviderFailure) {
        let line = ProviderLine(client: client, limits: breaker, logger: logger)
        guard let credential = ProviderCredential.trial(of: app.provider) else {
            _ = try await IssuerKeys.fetch(app, over: line, until: .now + timeout).get()
            return
        }
        do throws(ProviderFailure) { _ = try await provider(app, over: line).verify(credential) } catch {
            // The provider knows the app, and correctly refuses the invalid credential.
            if case .invalidCredential = error { return }
            throw error
        }
    }

    private func provider(_ app: ProviderSettings, over line: ProviderLine) -> TokenProvider {
        TokenProvider(line: line, settings: app, deadline: .now + timeout, now: clock())
    }

    private func verify(
        _ text: String,
        _ user: String?,
        nonce: String?,
        app: ProviderSettings
    ) async throws(ProviderFailure) -> VerifiedIdentity {
        guard let token = IDToken(text) else { throw .invalidCredential(.malformed) }
        // The claims are checked first, because this check is cheap. If it fails, the issuer's keys needn't be fetched.
        let identity = try token.identity(for: app, nonce: nonce, user: user, at: clock())
        let key = try await keys.key(for: token, of: app)
        guard key.signed(token) else { throw .invalidCredential(.refused) }
        return identity
    }

    /// Ends the connections to all providers; running calls fail.
    package func shutdown() async { await client.shutdown() }
}
