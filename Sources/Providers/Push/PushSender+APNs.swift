import Crypto
import Domain
import JSON
import Synchronization

/// The interface of the Apple Push Notification service.
extension PushSender {
    /// The age, in seconds, at which a token is renewed; Apple refuses tokens older than an hour.
    private static let tokenSeconds: Int64 = 2_400

    /// Sends a push, and repeats it once if the provider token has expired.
    func sendAPNs(_ delivery: PushDelivery, _ settings: PushSettings.APNs) async throws(MessageFailure) {
        let address = delivery.address
        let apple = "https://api.\(address.isSandbox ? "sandbox." : "")push.apple.com"
        for isLast in [false, true] {
            let token = try appleToken(settings)
            var request = WebClient.Request(url: "\(settings.baseURL ?? apple)/3/device/\(address.address)")
            request.headers = [
                ("authorization", "bearer \(token)"), ("apns-topic", settings.topic), ("apns-push-type", "alert"),
                ("apns-priority", "10"), ("apns-expiration", "\(delivery.expiresAt.milliseconds / 1_000)"),
                ("apns-collapse-id", delivery.id),
            ]
            request.body = ("application/json", Self.appleMessage(delivery).encoded())
            request.mayBegin = delivery.mayBegin
            request.isHTTP2 = true
            let answer = try await call(request)
            if answer.isSuccess { return }
            struct Body: Decodable { let reason: String? }
            let reason = answer.decode(Body.self)?.reason ?? ""
            if reason == "ExpiredProviderToken" {
                appleTokens.withLock { if $0[settings]?.text == token { $0[settings] = nil } }
            }
            if reason != "ExpiredProviderToken" || isLast { throw Self.appleFailure(answer.status, reason) }
        }
    }

    private static func appleMessage(_ delivery: PushDelivery) -> JSONObject {
        let aps: JSONObject = [
            "alert": ["title": delivery.title, "body": delivery.text], "sound": "default", "mutable-content": 1,
            "thread-id": delivery.payload["did"],
        ]
        return JSONObject(members: [.init(key: "aps", value: .object(aps))] + delivery.data)
    }

    private func appleToken(_ settings: PushSettings.APNs) throws(MessageFailure) -> String {
        let now = clock()
        let known = appleTokens.withLock { $0[settings] }
        if let known, (0..<Self.tokenSeconds).contains(now - known.madeAt) { return known.text }
        let claims: JSONObject = ["iss": .string(settings.team), "iat": .integer(now)]
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: settings.key),
            let token = try? SignedToken.make(claims, keyID: settings.keyID, key: key)
        else {
            throw .refused("The key for Apple's push service is not valid; check push.apns.key of the app's document.")
        }
        appleTokens.withLock { $0[settings] = (token, now) }
        return token
    }

    private static func appleFailure(_ status: Int, _ reason: String) -> MessageFailure {
        let text = "Apple answered \(status) \(reason)"
        switch status {
        case 410: return .gone
        case 400:
            return .final(
                "\(text): the address or the notification is not valid; check `sandbox` of notification/setPush, and "
                    + "push.apns.topic of the app's document."
            )
        case 403: return .refused("\(text): the key is refused; check push.apns of the app's document.")
        case 413: return .final("\(text): the notification is too long.")
        default: return .refused("\(text).")
        }
    }
}
