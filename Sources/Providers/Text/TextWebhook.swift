package import Domain
package import JSON

/// A webhook that receives each text message as JSON in a POST and sends it to the user.
package struct TextWebhook: Sendable {
    private let client: WebClient
    private let url: String
    private let token: String?
    private let timeout: Duration

    /// Makes a webhook from a bearer token and the URL to which text messages are posted.
    ///
    /// The client may be shared with other code. The creator of the client shuts it down.
    /// - Throws: `Rejection` of the field `url` or `token`.
    package init(
        client: WebClient,
        url: String,
        token: String? = nil,
        timeout: Duration = .seconds(10)
    ) throws(Rejection) {
        guard ProviderSettings.isSafeURL(url) else {
            throw .invalid("url", "The webhook's address must be https, or on this machine.")
        }
        if let token, !token.utf8.allSatisfy(\.isVisible) || token.isEmpty {
            throw .invalid("token", "The webhook's token must be visible ASCII characters.")
        }
        (self.client, self.url, self.token, self.timeout) = (client, url, token, timeout)
    }

    /// Posts a text message.
    ///
    /// A status of 2xx means that the webhook has accepted the message.
    ///
    /// With a status of 4xx, the webhook will never accept the message. The exceptions are 408, 425 and 429. Any other
    /// status means that the webhook may accept the message later. A message can arrive twice with the same
    /// `messageId`.
    /// - Throws: `MessageFailure`.
    package func send(_ message: JSONObject) async throws(MessageFailure) {
        var request = self.request
        request.body = (type: "application/json", bytes: message.encoded())
        let answer = try await call(request)
        let summary = "The webhook answered \(answer.status)."
        switch answer.status {
        case 200...299: return
        case 408, 425, 429: throw .unavailable(summary)
        case 400...499: throw .refused(summary)
        default: throw .unavailable(summary)
        }
    }

    /// Sends a HEAD request, which causes no text message, and returns the status.
    ///
    /// Many webhooks accept only a POST, so most error statuses still show that the webhook exists. The statuses 401
    /// and 403, however, mean a refused token. The statuses 404 and 410 mean a wrong address. Any 5xx except 501 means
    /// a failing server.
    /// - Throws: `MessageFailure` if there is no answer.
    package func reach() async throws(MessageFailure) -> Int {
        var request = self.request
        request.isHead = true
        return try await call(request).status
    }

    private func call(_ request: WebClient.Request) async throws(MessageFailure) -> WebClient.Answer {
        do {
            return try await client.call(request, until: .now + timeout)
        } catch {
            throw .unavailable("The webhook failed: \(error.rawValue).")
        }
    }

    private var request: WebClient.Request {
        var request = WebClient.Request(url: url)
        if let token { request.headers.append((name: "authorization", value: "Bearer \(token)")) }
        return request
    }
}
