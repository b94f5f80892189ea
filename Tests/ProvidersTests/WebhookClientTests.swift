import Domain
import Foundation
import Glibc
import Hummingbird
import Providers
import TestKit
import Testing

@Suite("Posting to webhooks", .endsInTime)
struct WebhookClientTests {
    private static let secret = Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").map { WebhookSecret(Array($0)) }
    private static let now = Instant(milliseconds: 1_614_265_330_000)

    private func post(
        _ place: String? = nil,
        allowing targets: String = "127.0.0.1",
        within timeout: Duration = .seconds(30),
        times: Int = 1,
        _ handler: @escaping @Sendable (ReceivedRequest) async throws -> Say = { _ in Say(status: 204, body: "") }
    ) async throws -> (outcome: WebhookClient.Outcome?, asks: [ReceivedRequest]) {
        let secret = try #require(Self.secret)
        let rule = try OutboundRule(privateTargets: targets)
        return try await withServer(handler) { url, asked in
            let port = url.split(separator: ":").last.map(String.init) ?? ""
            let post = WebhookClient.Post(
                url: place.map { $0.replacing("PORT", with: port) } ?? url + "/hook",
                id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
                secrets: [secret, secret],
                body: Array(#"{"test": 2432232314}"#.utf8)
            )
            let outcome = await BlockingCall.run {
                guard var client = WebhookClient(rule, OpenTransfers(), timeout: timeout) else {
                    return WebhookClient.Outcome?.none
                }
                var outcome: WebhookClient.Outcome?
                for _ in 0..<times { outcome = client.post(post, at: Self.now) }
                return outcome
            }
            return (outcome, asked.all)
        }
    }

    @Test("The signature matches the specification's example") func signature() throws {
        let secret = try #require(Self.secret)
        let signature = secret.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            seconds: 1_614_265_330,
            body: Array(#"{"test": 2432232314}"#.utf8)
        )
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("A post has the content and its headers, and the client can be used again") func taken() async throws {
        let (outcome, asks) = try await post(times: 3)

        #expect(outcome == WebhookClient.Outcome(status: 204, retryAfter: nil, error: nil))
        #expect(asks.count == 3)
        #expect(asks.first?.method == "POST")
        #expect(asks.first?.path == "/hook")
        #expect(asks.first?.body == #"{"test": 2432232314}"#)
        let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        #expect(asks.last?.headers["webhook-id"] == "msg_p5jXN8AQM9LWM0D4loKWxJek")
        #expect(asks.last?.headers["webhook-timestamp"] == "1614265330")
        #expect(asks.last?.headers["webhook-signature"] == "\(signature) \(signature)")
    }

    @Test("Any other answer is reported with its status and beginning", arguments: [400, 410, 500])
    func refused(status: Int) async throws {
        let (outcome, _) = try await post { _ in Say(status: status, body: "no\nmore") }

        #expect(outcome?.status == status)
        #expect(outcome?.error == "the receiver answered \(status): no more")
    }

    @Test("Retry-After is parsed") func retryAfter() async throws {
        let (outcome, _) = try await post { _ in Say(status: 429, body: "", headers: [.retryAfter: "17"]) }

        #expect(outcome == WebhookClient.Outcome(status: 429, retryAfter: 17, error: "the receiver answered 429"))
    }

    @Test("A redirect is not followed") func redirect() async throws {
        let (outcome, asks) = try await post { _ in Say(status: 307, body: "", headers: [.location: "/other"]) }

        #expect(outcome?.status == 307)
        #expect(outcome?.error == "the receiver answered 307, a redirect, which is not followed")
        #expect(asks.map(\.path) == ["/hook"])
    }

    @Test("A receiver that doesn't answer times out") func hangs() async throws {
        let (outcome, _) = try await post(within: .milliseconds(300), hang)

        #expect(outcome == WebhookClient.Outcome(error: "the server did not answer in time"))
    }

    @Test("A name that resolves to this machine is refused before anything is sent") func names() async throws {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count)
        let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let (outcome, asks) = try await post("https://\(host):PORT/", allowing: "")

        #expect(outcome?.status == nil)
        #expect(outcome?.error == "addressNotAllowed: the server's name resolves to an address that is not allowed")
        #expect(asks.isEmpty)
    }

    @Test(
        "An address that became forbidden is refused at the next try",
        arguments: [
            "http://127.0.0.1:PORT/", "http://localhost:PORT/", "https://127.0.0.1:PORT/", "file:///etc/passwd",
        ]
    )
    func addresses(place: String) async throws {
        let (outcome, asks) = try await post(place, allowing: "10.0.0.0/8")

        #expect(outcome?.error?.hasPrefix("addressNotAllowed: ") == true)
        #expect(asks.isEmpty)
    }

    @Test("A post withdrawn while connecting is not sent") func withdrawn() async throws {
        let secret = try #require(Self.secret)
        let rule = try OutboundRule(privateTargets: "127.0.0.1")
        let (outcomes, asks) = try await withServer({ _ in Say(status: 204, body: "") }) { url, asked in
            var post = WebhookClient.Post(url: url, id: "a", secrets: [secret], body: [])
            let again = post
            post.mayBegin = { false }
            let withdrawn = post
            let outcomes = await BlockingCall.run {
                guard var client = WebhookClient(rule, OpenTransfers()) else { return [WebhookClient.Outcome]() }
                return [again, withdrawn].map { client.post($0, at: Self.now) }
            }
            return (outcomes, asked.all)
        }
        #expect(outcomes.map(\.status) == [204, nil])
        #expect(outcomes.map(\.isWithdrawn) == [false, true])
        #expect(asks.count == 1)
    }

    @Test("A host allowed by an operator can resolve to this machine") func named() async throws {
        let (outcome, asks) = try await post("http://localhost:PORT/", allowing: "localhost")

        #expect(outcome?.status == 204)
        #expect(asks.count == 1)
    }

    @Test("Cancelling ends all posts in flight, and no more begin") func cancelled() async throws {
        let secret = try #require(Self.secret)
        let rule = try OutboundRule(privateTargets: "127.0.0.1")
        let outcomes = try await withServer(hang) { url, asked in
            let transfers = OpenTransfers()
            let post = WebhookClient.Post(url: url, id: "a", secrets: [secret], body: [])
            async let posted = BlockingCall.run {
                guard var client = WebhookClient(rule, transfers) else { return [WebhookClient.Outcome]() }
                return [client.post(post, at: Self.now), client.post(post, at: Self.now)]
            }
            while asked.all.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            transfers.cancel()
            return await posted
        }
        #expect(outcomes.map(\.error) == [String?](repeating: "the call was cancelled", count: 2))
    }
}
