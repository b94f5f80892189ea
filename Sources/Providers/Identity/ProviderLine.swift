import Domain
import Foundation
import Logging

/// A sender of HTTP requests to providers, with a separate breaker for each provider.
final class ProviderLine: Sendable {
    private let client: WebClient
    private let logger: Logger
    private let breakers: Breakers

    init(client: WebClient, limits: Breaker.Limits, logger: Logger) {
        self.client = client
        breakers = Breakers(limits)
        self.logger = logger
    }

    /// Sends a request, and returns the answer if its status is 2xx or 4xx, but not 429.
    ///
    /// The caller checks the content of the answer.
    ///
    /// Requests for profiles have a separate breaker, so that failures of these requests don't block logins.
    ///
    /// - Throws: `ProviderFailure.unavailable` for any other answer, or if no answer arrives.
    func call(
        _ settings: ProviderSettings,
        _ request: WebClient.Request,
        until deadline: ContinuousClock.Instant,
        isProfile: Bool = false
    ) async throws(ProviderFailure) -> WebClient.Answer {
        let key = "\(settings.provider) \(settings.baseURL)\(isProfile ? " profile" : "")"
        let isProbe: Bool
        switch breakers.enter(key) {
        case .refused(let seconds):
            let reason = "the provider failed several times in a row, or too many calls to it are running"
            throw .unavailable(retryAfter: seconds, because: reason)
        case .call(let probes): isProbe = probes
        }
        do {
            let answer = try await client.call(request, until: deadline)
            let isDown = answer.status >= 500 || answer.status == 429
            breakers.leave(key, isDown ? .failed : .answered, isProbe: isProbe)
            guard answer.isSuccess || (400...499).contains(answer.status), !isDown else {
                throw unusable(settings, "the provider answered \(answer.status)", retryAfter: 5)
            }
            return answer
        } catch let failure as WebClient.Failure {
            breakers.leave(key, failure == .cancelled ? .cancelled : .failed, isProbe: isProbe)
            throw unusable(settings, failure.rawValue, retryAfter: 5)
        } catch let failure as ProviderFailure {
            throw failure
        } catch {
            throw .unavailable(retryAfter: 5, because: "the call failed")
        }
    }

    /// Logs why a provider can't be used, and returns the error.
    func unusable(_ settings: ProviderSettings, _ problem: String, retryAfter seconds: Int64 = 60) -> ProviderFailure {
        let metadata: Logger.Metadata = ["provider": "\(settings.provider)", "error": "\(problem)"]
        logger.warning("An identity provider can't be used", metadata: metadata)
        return .unavailable(retryAfter: seconds, because: problem)
    }
}

extension WebClient.Answer {
    /// Decodes the body as JSON without rounding large ids, or returns nil if that fails.
    func decode<T: Decodable>(_ type: T.Type) -> T? { try? JSONDecoder().decode(type, from: Data(body)) }
}

/// An id or number that some providers write as text and others as a number.
struct LooseText: Decodable, Sendable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let number = try? container.decode(Int64.self)
        text = try number.map { String($0) } ?? container.decode(String.self)
    }
}
