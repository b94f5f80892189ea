import Domain
import Sodium

/// The verification of credentials from Facebook and Twitter.
extension TokenProvider {
    /// Verifies a token with `GET /debug_token`, which returns the token's user and app.
    func facebook(_ token: String) async throws(ProviderFailure) -> VerifiedIdentity {
        struct Body: Decodable {
            struct Data: Decodable {
                let app_id: LooseText?
                let user_id: LooseText?
                let type: String?
                let is_valid: Bool?
                let expires_at: Int64?
            }
            let data: Data?
        }
        let query = [("input_token", token), ("access_token", "\(clientID)|\(clientSecret)")]
        let answer = try await ask(.get(settings.baseURL + "/debug_token", query))
        // An error outside `data` concerns the app's own id and secret.
        guard answer.isSuccess, let data = answer.decode(Body.self)?.data else {
            throw unusable("the provider answered \(answer.status) to the app's id and secret")
        }
        if let app = data.app_id { try check(app: app.text) }
        if let end = data.expires_at, end > 0, end <= now { throw .invalidCredential(.expired) }
        guard data.is_valid == true else { throw .invalidCredential(.refused) }
        try check(app: data.app_id?.text)
        guard data.type == nil || data.type == "USER" else { throw .invalidCredential(.refused) }
        return await facebookProfile(try identity(data.user_id?.text, accessToken: token), token)
    }

    /// Verifies a token with `GET /1.1/account/verify_credentials.json`, which succeeds only for tokens of this app.
    func twitter(_ key: String, _ secret: String) async throws(ProviderFailure) -> VerifiedIdentity {
        struct Body: Decodable {
            struct Problem: Decodable { let code: Int }
            let errors: [Problem]?
            let id_str: String?
            let name: String?
            let profile_image_url_https: String?
        }
        let url = settings.baseURL + "/1.1/account/verify_credentials.json"
        let query = [("include_entities", "false"), ("skip_status", "true")]
        let signer = OAuth1(consumerKey: clientID, consumerSecret: clientSecret, token: key, tokenSecret: secret)
        let nonce = Sodium.randomSecret()
        let header = signer.authorization(method: "GET", url: url, query: query, nonce: nonce, seconds: now)
        var request = WebClient.Request.get(url, query)
        request.headers.append((name: "authorization", value: header))
        let answer = try await ask(request)
        let body = answer.decode(Body.self)
        if let error = body?.errors?.first {
            switch error.code {
            // The token is wrong, unknown or expired, or the account is suspended or locked.
            case 32, 63, 64, 89, 326: throw .invalidCredential(.refused)
            case let code: throw unusable("the provider answered error \(code)")
            }
        }
        guard answer.isSuccess, let body else { throw unusable("the provider answered \(answer.status)") }
        return try identity(body.id_str, accessToken: key, nickname: body.name, avatarURL: body.profile_image_url_https)
    }
}
