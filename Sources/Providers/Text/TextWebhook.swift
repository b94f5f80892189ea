package import Domain
package import JSON

/// Posts texts for telephones to a gateway that sends them: one POST of JSON each.
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
            throw .invalid("url", "The webhook's address must be https, or lie on this machine.")
        }
        if let token, !token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) || token.isEmpty {
            throw .invalid("token", "The webhook's token must be visible ASCII characters.")
        }
        self.client = client
        self.url = url
        self.token = token
        self.timeout = timeout
    }

    /// Posts one text: 2xx means that it was taken.
    ///
    /// A status of 4xx says that it never will be, except 408, 425 and 429; anything else
    /// that it may be later. It may arrive twice, with the same `messageId`.
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

    /// Asks for the head of the webhook's page, which sends nothing; returns the status.
    ///
    /// Many know no answer but to a POST: any status but those of a refused token and of a server in trouble says that
    /// it is there.
    /// - Throws: `SendFailure` where nothing answers.
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
