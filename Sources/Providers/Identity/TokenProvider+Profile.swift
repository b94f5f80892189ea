import Crypto
import Domain
import Foundation
import Sodium

/// The optional requests for a user's name and picture after a verified login.
extension TokenProvider {
    /// The longest time for which a login waits for the user's profile.
    private static let patience = Duration.seconds(2)

    /// Gets the name and the picture from an endpoint, and adds them to an identity.
    ///
    /// If the request fails, name and picture are left out. The login is valid without them. Requests for profiles have
    /// a separate breaker, so a failing endpoint for profiles doesn't block logins.
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

    /// Adds the profile from `GET /sns/userinfo`, which fails without the scope `snsapi_userinfo`.
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

    /// Adds the profile from `GET /user/get_user_info`, whose `ret` is 0 on success.
    ///
    /// `app` is the id of the app for which the token was issued.
    func qqProfile(_ identity: VerifiedIdentity, _ token: String, app: String) async -> VerifiedIdentity {
        struct Body: Decodable {
            let ret: Int?
            let nickname: String?
            let figureurl_qq_2: String?
            let figureurl_qq_1: String?
        }
        let query = [
            ("access_token", token), ("oauth_consumer_key", app), ("openid", identity.subject), ("format", "json"),
        ]
        return await adding(to: identity, .get(settings.baseURL + "/user/get_user_info", query), Body.self) { body in
            guard (body.ret ?? 0) == 0 else { return (nil, nil) }
            // The URL is empty for users who don't have the larger picture.
            let large = body.figureurl_qq_2.flatMap { $0.isEmpty ? nil : $0 }
            return (body.nickname, large ?? body.figureurl_qq_1)
        }
    }

    /// Adds the profile from `GET /2/users/show.json`.
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

    /// Adds the profile from `GET /me`.
    ///
    /// The request contains a proof of the app's secret. Facebook requires the proof if the app's settings at Facebook
    /// demand it.
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
