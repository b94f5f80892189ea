package import Domain
package import JSON

/// A webhook that posts text messages to a gateway that sends them: one POST of JSON each.
package struct TextWebhook: Sendable {
    private let client: WebClient
    private let url: String
    private let token: String?
    private let timeout: Duration

    /// Makes a webhook from the URL that texts are posted to, and a bearer token.
    ///
    /// The client may be shared with others; its creator shuts it down.
    /// - Throws: `Rejection` of field `url` or `token`.
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
        self.client = client
        self.url = url
        self.token = token
        self.timeout = timeout
    }

    /// Posts one text; a status of 2xx means that it was accepted.
    ///
    /// A status of 4xx, except 408, 425 and 429, means that it never will be; any other that it may be later. A text
    /// can arrive twice, with the same `messageId`.
    /// - Throws: `SendFailure`.
    package func send(_ message: JSONObject) async throws(SendFailure) {
        var request = self.request
        request.body = (type: "application/json", bytes: message.encoded())
        let answer: WebClient.Answer
        do {
            answer = try await client.call(request, until: .now + timeout)
        } catch {
            throw .temporary("The webhook failed: \(error.rawValue).")
        }
        let summary = "The webhook answered \(answer.status)."
        switch answer.status {
        case 200...299: return
        case 408, 425, 429: throw .temporary(summary)
        case 400...499: throw .permanent(summary)
        default: throw .temporary(summary)
        }
    }

    /// Sends a HEAD request, which causes no text message; returns the status.
    ///
    /// Many webhooks answer only a POST: any status shows that the webhook is there, except for the statuses of a
    /// refused token and of a failing server.
    /// - Throws: `SendFailure` if nothing answers.
    package func reach() async throws(SendFailure) -> Int {
        var request = self.request
        request.isHead = true
        do {
            return try await client.call(request, until: .now + timeout).status
        } catch {
            throw .temporary("The webhook failed: \(error.rawValue).")
        }
    }

    private var request: WebClient.Request {
        var request = WebClient.Request(url: url)
        if let token { request.headers.append((name: "authorization", value: "Bearer \(token)")) }
        return request
    }
}
