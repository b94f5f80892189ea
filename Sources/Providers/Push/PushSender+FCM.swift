import Domain
import JSON

/// The HTTP v1 interface of Firebase Cloud Messaging.
extension PushSender {
    /// Sends a push, and repeats it once if the access token is refused.
    func sendFCM(_ delivery: PushDelivery, _ settings: PushSettings.FCM) async throws(MessageFailure) {
        for isLast in [false, true] {
            let token = try await accessTokens.token(of: settings, over: self)
            var request = WebClient.Request(url: "\(settings.baseURL)/v1/projects/\(settings.project)/messages:send")
            request.headers = [("Authorization", "Bearer \(token)")]
            request.body = ("application/json", fcmMessage(delivery).encoded())
            request.mayBegin = delivery.mayBegin
            let answer = try await call(request)
            if answer.isSuccess { return }
            if answer.status == 401 { await accessTokens.forget(token, of: settings) }
            if answer.status != 401 || isLast { throw Self.fcmFailure(answer) }
        }
    }

    private func fcmMessage(_ delivery: PushDelivery) -> JSONObject {
        // All values of `data` must be strings.
        let data = delivery.data.map { member in
            (
                member.key,
                JSONValue.string(member.value.stringValue ?? String(decoding: member.value.encoded(), as: UTF8.self))
            )
        }
        return [
            "message": [
                "token": .string(delivery.address.address),
                "notification": ["title": delivery.title, "body": delivery.text], "data": .object(JSONObject(data)),
                "android": [
                    "priority": "HIGH", "ttl": .string("\(delivery.seconds(from: clock()))s"),
                    "notification": ["tag": .string(delivery.id)],
                ],
            ]
        ]
    }

    private static func fcmFailure(_ answer: WebClient.Answer) -> MessageFailure {
        struct Body: Decodable {
            struct Detail: Decodable { let errorCode: String? }
            struct Problem: Decodable {
                let status: String?
                let details: [Detail]?
            }
            let error: Problem?
        }
        let error = answer.decode(Body.self)?.error
        let code = error?.details?.compactMap(\.errorCode).first ?? error?.status ?? ""
        let text = "Google answered \(answer.status) \(code)"
        switch (answer.status, code) {
        // A 404 with any other code means that the project is unknown.
        case (404, "UNREGISTERED"): return .gone
        case (403, "SENDER_ID_MISMATCH"):
            return .final(
                "\(text): the address belongs to another Firebase project; check push.fcm of the app's document."
            )
        case (400, _): return .final("\(text): the address is not valid; the app sets the token that Google gave it.")
        default: return .refused("\(text); check push.fcm.serviceAccount of the app's document.")
        }
    }
}
