import Crypto
import Domain
import Foundation
import Sodium

/// A user's name and picture at a provider: requested after the login's check, and optional.
extension TokenProvider {
    /// The longest time for a profile; a login waits for it.
    private static let patience = Duration.seconds(2)

    /// Adds the name and picture from a provider's endpoint.
    ///
    /// Any failure leaves them out: the login is valid without them. The calls have a separate breaker, so that an
    /// endpoint that is down doesn't block the endpoint that logins need.
    func adding<Body: Decodable>(
        to identity: VerifiedIdentity,
        _ request: WebClient.Request,
        _ type: Body.Type,
        read: (Body) -> (nickname: String?, avatarURL: String?)
    ) async -> VerifiedIdentity {
        let end = min(deadline, .now + Self.patience)
        guard let answer = try? await line.call(settings, request, until: end, isProfile: true), answer.isSuccess,
            let body = answer.decode(type)
        else { return identity }
        var identity = identity
        (identity.nickname, identity.avatarURL) = read(body)
        return identity
    }

    /// `GET /sns/userinfo`: needs the scope snsapi_userinfo, and answers an error without it.
    func weChatProfile(_ identity: VerifiedIdentity, _ token: String, openid: String) async -> VerifiedIdentity {
        struct Body: Decodable {
            let nickname: String?
            let headimgurl: String?
        }
        let query = [("access_token", token), ("openid", openid), ("lang", "zh_CN")]
        return await adding(to: identity, .get(settings.baseURL + "/sns/userinfo", query), Body.self) {
            ($0.nickname, $0.headimgurl)
        }
    }

    /// `GET /user/get_user_info`: `ret` is 0 for success.
    func qqProfile(_ identity: VerifiedIdentity, _ token: String) async -> VerifiedIdentity {
        struct Body: Decodable {
            let ret: Int?
            let nickname: String?
            let figureurl_qq_2: String?
            let figureurl_qq_1: String?
        }
        let query = [
            ("access_token", token), ("oauth_consumer_key", clientID),
            ("openid", identity.subject), ("format", "json"),
        ]
        return await adding(to: identity, .get(settings.baseURL + "/user/get_user_info", query), Body.self) { body in
            guard (body.ret ?? 0) == 0 else { return (nil, nil) }
            // Not all users have the larger picture; it is then empty.
            let large = body.figureurl_qq_2.flatMap { $0.isEmpty ? nil : $0 }
            return (body.nickname, large ?? body.figureurl_qq_1)
        }
    }

    /// `GET /2/users/show.json`.
    func weiboProfile(_ identity: VerifiedIdentity, _ token: String) async -> VerifiedIdentity {
        struct Body: Decodable {
            let screen_name: String?
            let avatar_large: String?
            let profile_image_url: String?
        }
        let query = [("access_token", token), ("uid", identity.subject)]
        return await adding(to: identity, .get(settings.baseURL + "/2/users/show.json", query), Body.self) {
            ($0.screen_name, $0.avatar_large ?? $0.profile_image_url)
        }
    }

    /// `GET /me`: with a proof of the app's secret, which an app's settings can require.
    func facebookProfile(_ identity: VerifiedIdentity, _ token: String) async -> VerifiedIdentity {
        struct Body: Decodable {
            struct Picture: Decodable {
                struct Data: Decodable {
                    let url: String?
                    let is_silhouette: Bool?
                }
                let data: Data?
            }
            let id: String?
            let name: String?
            let picture: Picture?
        }
        let key = SymmetricKey(data: Data(clientSecret.utf8))
        let proof = HMAC<SHA256>.authenticationCode(for: Data(token.utf8), using: key)
        let query = [("fields", "name,picture"), ("access_token", token), ("appsecret_proof", Sodium.hex(proof))]
        return await adding(to: identity, .get(settings.baseURL + "/me", query), Body.self) { body in
            let picture = body.picture?.data
            return (body.name, picture?.is_silhouette == true ? nil : picture?.url)
        }
    }
}
