import Domain
import JSON

/// A cache of the keys that issuers of ID tokens publish.
///
/// Keys are fetched if none are known or the known keys are an hour old. A token with an unknown key also causes a
/// fetch. Unknown keys cause only a few fetches a minute, even if many tokens name invented keys. Callers that wait for
/// the same keys share one request.
actor IssuerKeys {
    private struct Entry {
        var keys: [PublishedKey]
        var fetchedAt: ContinuousClock.Instant
        var triedAt: ContinuousClock.Instant
        /// The times of recent requests for unknown keys; `questionsMax` limits the number of these requests.
        var surprises: [ContinuousClock.Instant] = []
    }

    /// The maximum number of issuers in the cache; a full cache is emptied before keys are stored.
    private static let issuersMax = 1_000
    /// The age at which keys are fetched again.
    private static let freshFor = Duration.seconds(3600)
    /// The age up to which old keys are used while the issuer can't be reached.
    private static let usableFor = Duration.seconds(86_400)
    /// The time that must pass before a failed request for new keys is repeated.
    ///
    /// Until then, old keys are used. In any period of this length, unknown keys cause at most `questionsMax` requests.
    private static let pause = Duration.seconds(60)
    /// The maximum number of requests for unknown keys within `pause`.
    ///
    /// More than one request is allowed, so that keys can be fetched again if they change soon after a request.
    private static let questionsMax = 5

    private let line: ProviderLine
    private let timeout: Duration
    private var entries: [String: Entry] = [:]
    private var questions: [String: Task<Result<[PublishedKey], ProviderFailure>, Never>] = [:]

    init(line: ProviderLine, timeout: Duration) { (self.line, self.timeout) = (line, timeout) }

    /// Returns the key that a token names as its signing key.
    ///
    /// - Throws: `ProviderFailure`, with `refused` if the issuer has no such key.
    func key(for token: IDToken, of settings: ProviderSettings) async throws(ProviderFailure) -> PublishedKey {
        let now = ContinuousClock.now
        guard let entry = entries[settings.baseURL], now - entry.fetchedAt < Self.usableFor else {
            return try Self.find(token, in: await ask(settings).get())
        }
        if let found = try? Self.find(token, in: entry.keys) {
            guard now - entry.fetchedAt >= Self.freshFor, now - entry.triedAt >= Self.pause else { return found }
            // If the request fails, the old key is used. If the request succeeds, a key that the issuer has withdrawn
            // is no longer accepted.
            guard case .success(let keys) = await ask(settings) else { return found }
            return try Self.find(token, in: keys)
        }
        let surprises = entry.surprises.filter { now - $0 < Self.pause }
        guard surprises.count < Self.questionsMax else { throw .invalidCredential(.refused) }
        entries[settings.baseURL]?.surprises = surprises + [now]
        return try Self.find(token, in: await ask(settings).get())
    }

    /// Returns the key for a token; the token may omit the key's id if only one key fits.
    private static func find(_ token: IDToken, in keys: [PublishedKey]) throws(ProviderFailure) -> PublishedKey {
        let fitting = keys.filter { key in key.fits(token.algorithm) && (token.keyID == nil || token.keyID == key.id) }
        guard let key = fitting.first, fitting.count == 1 else { throw .invalidCredential(.refused) }
        return key
    }

    private func ask(
        _ settings: ProviderSettings
    ) async -> Result<[PublishedKey], ProviderFailure> {
        let issuer = settings.baseURL
        if let question = questions[issuer] { return await question.value }
        let (line, timeout) = (line, timeout)
        // The request runs in its own task. If the first caller gives up, the request continues for the other callers.
        let question = Task { await Self.fetch(settings, over: line, until: .now + timeout) }
        questions[issuer] = question
        let result = await question.value
        questions[issuer] = nil
        let now = ContinuousClock.now
        switch result {
        case .success(let keys):
            if entries.count >= Self.issuersMax { entries = [:] }
            let surprises = entries[issuer]?.surprises ?? []
            entries[issuer] = Entry(keys: keys, fetchedAt: now, triedAt: now, surprises: surprises)
        case .failure: entries[issuer]?.triedAt = now
        }
        return result
    }

    /// Fetches the URL of the keys (OpenID Connect Discovery 1.0), and then the keys (RFC 7517).
    static func fetch(
        _ settings: ProviderSettings,
        over line: ProviderLine,
        until deadline: ContinuousClock.Instant
    ) async -> Result<[PublishedKey], ProviderFailure> {
        do throws(ProviderFailure) {
            let place = settings.baseURL + "/.well-known/openid-configuration"
            let discovery = try await document(place, settings, line: line, deadline: deadline)
            let issuer = discovery["issuer"]?.stringValue ?? ""
            let bare = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
            guard bare == settings.baseURL, let url = discovery["jwks_uri"]?.stringValue,
                mayHaveKeys(at: url, issuer: settings.baseURL)
            else { throw line.unusable(settings, "the discovery document is for another issuer") }
            let set = try await document(url, settings, line: line, deadline: deadline)
            let keys = (set["keys"]?.arrayValue ?? []).prefix(100)
                .compactMap { $0.objectValue.flatMap(PublishedKey.init) }
            guard !keys.isEmpty else { throw line.unusable(settings, "the issuer publishes no key that can be used") }
            return .success(keys)
        } catch {
            return .failure(error)
        }
    }

    /// Returns whether an issuer may publish its keys at a URL.
    ///
    /// A URL with plain HTTP is allowed only if the issuer's own URL uses plain HTTP. Only an issuer on this machine
    /// can have such a URL. So the discovery document of an issuer on another machine can't make the service send
    /// requests over plain HTTP to this machine.
    static func mayHaveKeys(at url: String, issuer: String) -> Bool {
        ProviderSettings.isSafeURL(url) && (url.hasPrefix("https:") || issuer.hasPrefix("http:"))
    }

    private static func document(
        _ url: String,
        _ settings: ProviderSettings,
        line: ProviderLine,
        deadline: ContinuousClock.Instant
    ) async throws(ProviderFailure) -> JSONObject {
        let answer = try await line.call(settings, WebClient.Request(url: url), until: deadline)
        guard answer.isSuccess, let object = (try? JSONValue.parse(answer.body))?.objectValue else {
            throw line.unusable(
                settings,
                "the issuer answered \(answer.status) to a request for its keys"
            )
        }
        return object
    }
}
