package import Domain

/// A client that posts events to webhooks, one at a time; each of its users has a thread and a client of its own.
///
/// It keeps connections open between posts.
package struct WebhookClient: ~Copyable {
    private var curl: CurlHandle
    private let rule: OutboundRule
    private let transfers: OpenTransfers
    private let timeout: Duration

    /// A body to be posted, with what its headers need.
    package struct Post: Sendable {
        /// The address.
        package var url: String
        /// The id of this content.
        package var id: String
        /// The secrets that sign: the present one, and for a time the one before it.
        package var secrets: [WebhookSecret]
        /// The body, JSON.
        package var body: [UInt8]
        /// Called once connected, right before the request is sent: whether it may be.
        package var mayBegin: @Sendable () -> Bool = { true }

        /// Makes a post.
        package init(url: String, id: String, secrets: [WebhookSecret], body: [UInt8]) {
            (self.url, self.id, self.secrets, self.body) = (url, id, secrets, body)
        }
    }

    /// The end of a try.
    package struct Outcome: Equatable, Sendable {
        /// The status; nil if nothing was answered.
        package var status: Int?
        /// The seconds after which the receiver asks to be tried again.
        package var retryAfter: Int64?
        /// The reason if the receiver did not take the events; neither an address nor a secret.
        package var error: String?
        /// Whether nothing was sent because `mayBegin` said so, or because all posts were cancelled.
        package var isWithdrawn = false

        /// Makes an outcome.
        package init(status: Int? = nil, retryAfter: Int64? = nil, error: String? = nil) {
            (self.status, self.retryAfter, self.error) = (status, retryAfter, error)
        }
    }

    /// Makes a client under a rule; nil if there is no memory for it.
    package init?(
        _ rule: OutboundRule,
        _ transfers: OpenTransfers,
        timeout: Duration = .seconds(WebhookRules.trySeconds)
    ) {
        guard let curl = try? CurlHandle() else { return nil }
        self.curl = curl
        (self.rule, self.transfers, self.timeout) = (rule, transfers, timeout)
    }

    /// Posts once and blocks until the end of the answer; follows no redirect.
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
        let transfer = WebTransfer(request, deadline: .now + timeout, connectTimeout: .seconds(5), bodyMax: 65_536)
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

    /// Returns the status with the beginning of the answer, which often says what is wrong.
    private static func summary(_ answer: WebClient.Answer) -> String {
        let text = answer.body.prefix(200).map { $0.isVisible ? Character(Unicode.Scalar($0)) : " " }
        let isRedirect = (300...399).contains(answer.status)
        return "it answered \(answer.status)" + (isRedirect ? ", a redirect, which is not followed" : "")
            + (text.isEmpty ? "" : ": " + String(text))
    }
}
