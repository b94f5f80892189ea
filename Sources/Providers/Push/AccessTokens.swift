import CryptoExtras
import Domain
import JSON

/// The access tokens of Google's service accounts (OAuth 2.0 with a signed assertion, RFC 7523).
actor AccessTokens {
    private typealias Answer = Result<(text: String, until: Int64), MessageFailure>

    private let clock: @Sendable () -> Int64
    private var requests: [PushSettings.FCM: Task<Answer, Never>] = [:]

    /// A token that expires within this number of seconds is no longer used.
    private static let reserveSeconds: Int64 = 60
    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    init(clock: @escaping @Sendable () -> Int64) { self.clock = clock }

    /// Returns a service account's token, and requests one if none is valid; concurrent callers share the request.
    func token(of account: PushSettings.FCM, over sender: PushSender) async throws(MessageFailure) -> String {
        if let request = requests[account] {
            if case .success(let token) = await request.value, token.until > clock() { return token.text }
            if requests[account] == request { requests[account] = nil }
        }
        let request = requests[account] ?? Task { [clock] in await Self.request(account, over: sender, at: clock()) }
        requests[account] = request
        return try await request.value.get().text
    }

    /// Forgets a token that the push service refuses.
    func forget(_ token: String, of account: PushSettings.FCM) async {
        guard let request = requests[account], case .success(let known) = await request.value,
            known.text == token, requests[account] == request
        else { return }
        requests[account] = nil
    }

    private static func request(
        _ account: PushSettings.FCM,
        over sender: PushSender,
        at now: Int64
    ) async -> Answer {
        let claims: JSONObject = [
            "iss": .string(account.account), "scope": .string(scope), "aud": .string(account.tokenURL),
            "iat": .integer(now), "exp": .integer(now + 3_600),
        ]
        let cure = "check push.fcm.serviceAccount of the app's document."
        guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: account.key),
            let assertion = try? SignedToken.make(claims, key: key)
        else { return .failure(.refused("The key of the Google service account is not valid; \(cure)")) }
        let form = [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion)]
        do throws(MessageFailure) {
            let answer = try await sender.call(.post(account.tokenURL, form: form))
            struct Body: Decodable {
                let access_token: String?
                let expires_in: Int64?
                let error: String?
            }
            let body = answer.decode(Body.self)
            guard answer.isSuccess, let token = body?.access_token else {
                let reason = body?.error ?? "no token"
                return .failure(.refused("Google refused the service account (\(answer.status) \(reason)); \(cure)"))
            }
            return .success((token, now + (body?.expires_in ?? 3_600) - reserveSeconds))
        } catch {
            return .failure(error)
        }
    }
}
