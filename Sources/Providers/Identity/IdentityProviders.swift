package import Domain
import Glibc
package import Logging

/// Verifies users' credentials with identity providers.
///
/// An app's claims are never trusted: ID tokens are verified with their issuer's published keys, codes and
/// access tokens with the provider's own endpoint, and each that it was issued for this app. Times, sizes and
/// numbers of calls are bounded for each provider by itself, so one that hangs delays only logins with it, and
/// those not for long.
package final class IdentityProviders: Sendable {
    /// The bounds of the calls that tests make smaller.
    package struct Limits: Sendable {
        /// How long one verification may take.
        package var timeout = Duration.seconds(8)
        /// How many failures in a row close a provider for a while.
        package var failuresMax = 5

        /// The numbers that a service runs with.
        package init() {}
    }

    /// How many calls to one provider may be under way.
    private static let callsMax = 32
    /// For how long a provider is closed after failures.
    private static let pause = Duration.seconds(30)

    private let client = WebClient()
    private let line: ProviderLine
    private let keys: IssuerKeys
    private let breaker: Breaker.Limits
    private let logger: Logger
    private let timeout: Duration
    private let clock: @Sendable () -> Int64

    /// Makes the verifier; no provider is asked yet.
    ///
    /// - Parameters:
    ///   - limits: The bounds of the calls.
    ///   - logger: Told when a provider can't be used; never what was asked.
    ///   - clock: Gives the time in seconds since 1970.
    package init(
        limits: Limits = Limits(),
        logger: Logger,
        clock: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
    ) {
        breaker = Breaker.Limits(
            failuresMax: limits.failuresMax,
            pause: Self.pause,
            callsMax: Self.callsMax
        )
        line = ProviderLine(client: client, limits: breaker, logger: logger)
        keys = IssuerKeys(line: line, timeout: limits.timeout)
        timeout = limits.timeout
        self.logger = logger
        self.clock = clock
    }

    /// Verifies an app's credential from a provider, with that provider and for that app.
    ///
    /// Takes as long as the limits allow at most. Safe to repeat, but for codes: a provider takes
    /// each once.
    package func verify(
        _ credential: ProviderCredential,
        for app: ProviderSettings
    ) async throws(ProviderFailure) -> VerifiedIdentity {
        guard app.isEnabled, app.provider == credential.provider, !app.clientIDs.isEmpty else {
            throw .disabled
        }
        var identity: VerifiedIdentity
        if case .idToken(let text, let user, let nonce) = credential.proof {
            identity = try await verify(text, user, nonce: nonce, app: app)
        } else {
            let provider = TokenProvider(
                line: line,
                settings: app,
                deadline: .now + timeout,
                now: clock()
            )
            identity = try await provider.verify(credential)
        }
        identity.nickname = VerifiedIdentity.shown(
            nickname: identity.nickname ?? credential.nickname
        )
        identity.avatarURL = VerifiedIdentity.shown(picture: identity.avatarURL)
        return identity
    }

    /// Tries a provider without a user: fetches an issuer's keys anew, or asks the provider about a made-up credential.
    ///
    /// It is asked also where it failed several times in a row. Takes as long as the limits allow at most.
    /// - Throws: `ProviderFailure.unavailable` with the reason; an app that does not use it is tried all the same.
    package func examine(_ app: ProviderSettings) async throws(ProviderFailure) {
        let line = ProviderLine(client: client, limits: breaker, logger: logger)
        guard let credential = ProviderCredential.trial(of: app.provider) else {
            _ = try await IssuerKeys.fetch(app, over: line, until: .now + timeout).get()
            return
        }
        let provider = TokenProvider(
            line: line,
            settings: app,
            deadline: .now + timeout,
            now: clock()
        )
        do throws(ProviderFailure) {
            _ = try await provider.verify(credential)
        } catch {
            // The provider knows the app, and refuses the credential as it should.
            if case .invalidCredential = error { return }
            throw error
        }
    }

    private func verify(
        _ text: String,
        _ user: String?,
        nonce: String?,
        app: ProviderSettings
    ) async throws(ProviderFailure) -> VerifiedIdentity {
        guard let token = IDToken(text) else { throw .invalidCredential(.malformed) }
        // Costs nothing, and spares fetching the issuer's keys.
        let identity = try token.identity(for: app, nonce: nonce, user: user, at: clock())
        let key = try await keys.key(for: token, of: app)
        guard key.signed(token) else { throw .invalidCredential(.refused) }
        return identity
    }

    /// Ends the connections to all providers; what is under way fails.
    package func shutdown() async { await client.shutdown() }
}
