import Domain
import Foundation
import Logging
import Synchronization

/// A sender of HTTP requests to providers, with a separate breaker for each provider.
final class ProviderLine: Sendable {
    private let client: WebClient
    private let limits: Breaker.Limits
    private let logger: Logger
    private let breakers = Mutex<[String: Breaker]>([:])

    /// The maximum number of breakers.
    ///
    /// Operators configure providers, so there are few, and this limit only guards against mistakes.
    private static let breakersMax = 1_000

    init(client: WebClient, limits: Breaker.Limits, logger: Logger) {
        self.client = client
        self.limits = limits
        self.logger = logger
    }

    /// Sends a request to a provider, and returns an answer with a status of 2xx or of 4xx except 429.
    ///
    /// The caller checks the content of the answer.
    ///
    /// Requests for profiles have a separate breaker, because a login doesn't need the profile.
    /// - Throws: `ProviderFailure.unavailable` for any other answer, or if there is none.
    func call(
        _ settings: ProviderSettings,
        _ request: WebClient.Request,
        until deadline: ContinuousClock.Instant,
        isProfile: Bool = false
    ) async throws(ProviderFailure) -> WebClient.Answer {
        let key = "\(settings.provider) \(settings.baseURL)\(isProfile ? " profile" : "")"
        guard case .call(let isProbe) = try enter(key) else {
            throw .unavailable(retryAfter: 1, because: "too many calls to the provider are under way")
        }
        do {
            let answer = try await client.call(request, until: deadline)
            let isDown = answer.status >= 500 || answer.status == 429
            leave(key, isDown ? .failed : .answered, isProbe: isProbe)
            guard (200...299).contains(answer.status) || (400...499).contains(answer.status),
                !isDown
            else {
                throw unusable(settings, "the provider answered \(answer.status)", retryAfter: 5)
            }
            return answer
        } catch let failure as WebClient.Failure {
            leave(key, failure == .cancelled ? .cancelled : .failed, isProbe: isProbe)
            throw unusable(settings, failure.rawValue, retryAfter: 5)
        } catch let failure as ProviderFailure {
            throw failure
        } catch {
            throw .unavailable(retryAfter: 5, because: "the call failed")
        }
    }

    /// Logs that a provider gives unexpected answers or refuses the app's own secret, and returns the error.
    func unusable(_ settings: ProviderSettings, _ problem: String, retryAfter seconds: Int64 = 60) -> ProviderFailure {
        logger.warning(
            "An identity provider can't be used",
            metadata: ["provider": "\(settings.provider)", "error": "\(problem)"]
        )
        return .unavailable(retryAfter: seconds, because: problem)
    }

    private func enter(_ key: String) throws(ProviderFailure) -> Breaker.Admission {
        let admission = breakers.withLock { breakers in
            if breakers.count >= Self.breakersMax, breakers[key] == nil {
                breakers = breakers.filter { !$0.value.isIdle }
            }
            return breakers[key, default: Breaker(limits)].enter(at: .now)
        }
        if case .refused(let seconds) = admission {
            throw .unavailable(retryAfter: seconds, because: "the provider failed several times in a row")
        }
        return admission
    }

    private func leave(_ key: String, _ outcome: Breaker.Outcome, isProbe: Bool) {
        breakers.withLock { breakers in
            breakers[key]?.leave(outcome, isProbe: isProbe, at: .now)
        }
    }
}

extension WebClient.Answer {
    /// Decodes the body as JSON; returns nil if the body doesn't fit the type.
    ///
    /// The decoder is Foundation's, because providers write ids as integers that are too large for a double.
    func decode<T: Decodable>(_ type: T.Type) -> T? { try? JSONDecoder().decode(type, from: Data(body)) }
}

/// An id or number that some providers write as text and others as a number.
struct LooseText: Decodable, Sendable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
            text = String(number)
        } else {
            text = try container.decode(String.self)
        }
    }
}
