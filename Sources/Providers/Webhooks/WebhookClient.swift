package import Domain

/// A client that posts events to webhooks, one request at a time.
///
/// Each thread that posts events has its own client.
package struct WebhookClient: ~Copyable {
    private var curl: CurlHandle
    private let rule: OutboundRule
    private let transfers: OpenTransfers
    private let timeout: Duration

    /// A body to be posted, with the values for its headers.
    package struct Post: Sendable {
        /// The URL of the webhook.
        package var url: String
        /// The id of the body, which is the same for each attempt to post this body.
        package var id: String
        /// The secrets that sign the body: the present secret and, for some time after a change, the previous secret.
        package var secrets: [WebhookSecret]
        /// The body as JSON.
        package var body: [UInt8]
        /// Returns whether the request may still be sent; the client calls this right before it sends the request.
        package var mayBegin: @Sendable () -> Bool = { true }

        /// Makes a post.
        package init(url: String, id: String, secrets: [WebhookSecret], body: [UInt8]) {
            (self.url, self.id, self.secrets, self.body) = (url, id, secrets, body)
        }
    }

    /// The outcome of one attempt to post a body.
    package struct Outcome: Equatable, Sendable {
        /// The HTTP status; nil if the receiver didn't answer.
        package var status: Int?
        /// The number of seconds in the receiver's `Retry-After`, or nil if there is no such header.
        package var retryAfter: Int64?
        /// The reason why the receiver did not take the events; it contains no address or secret.
        package var error: String?
        /// Whether the request was withdrawn, because `mayBegin` returned false or because all posts were cancelled.
        package var isWithdrawn = false

        /// Makes an outcome.
        package init(status: Int? = nil, retryAfter: Int64? = nil, error: String? = nil) {
            (self.status, self.retryAfter, self.error) = (status, retryAfter, error)
        }
    }

    /// Makes a client that connects only to addresses that `rule` allows, or returns nil if there is not enough memory.
    package init?(
        _ rule: OutboundRule,
        _ transfers: OpenTransfers,
        timeout: Duration = .seconds(WebhookRules.trySeconds)
    ) {
        guard let curl = try? CurlHandle() else { return nil }
        self.curl = curl
        (self.rule, self.transfers, self.timeout) = (rule, transfers, timeout)
    }

    /// Posts a body once, without following redirects, and blocks until the end of the answer.
    package mutating func post(_ post: Post, at now: Instant) -> Outcome {
        let url: OutboundURL
        do {
            url = try rule.check(post.url, field: "url")
        } catch {
            return Outcome(error: "addressNotAllowed: \(error.message)")
        }
        let seconds = now.milliseconds / 1_000
        let signatures = post.secrets.map { $0.signature(id: post.id, seconds: seconds, body: post.body) }
        var request = WebClient.Request(url: post.url)
        request.body = (type: "application/json", bytes: post.body)
        request.outbound = (rule, url)
        request.mayBegin = post.mayBegin
        request.headers = [
            ("webhook-id", post.id), ("webhook-timestamp", "\(seconds)"),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
        return perform(request)
    }

    private mutating func perform(_ request: WebClient.Request) -> Outcome {
        let transfer = WebTransfer(request, deadline: .now + timeout)
        do throws(WebClient.Failure) {
            guard transfers.add(transfer) else { throw .cancelled }
            defer { transfers.remove(transfer) }
            let answer = try transfer.perform(on: &curl).get()
            return Outcome(
                status: answer.status,
                retryAfter: answer.retryAfter > 0 ? answer.retryAfter : nil,
                error: answer.isSuccess ? nil : Self.summary(answer)
            )
        } catch {
            var outcome = Outcome(error: (error == .addressNotAllowed ? "addressNotAllowed: " : "") + error.rawValue)
            outcome.isWithdrawn = error == .withdrawn || error == .cancelled
            return outcome
        }
    }

    /// Returns the status with the beginning of the answer, which often describes the fault.
    private static func summary(_ answer: WebClient.Answer) -> String {
        let text = answer.body.prefix(200).map { $0.isVisible ? Character(Unicode.Scalar($0)) : " " }
        let isRedirect = (300...399).contains(answer.status)
        return "the receiver answered \(answer.status)" + (isRedirect ? ", a redirect, which is not followed" : "")
            + (text.isEmpty ? "" : ": " + String(text))
    }
}
