import Domain
import JSON
import Providers
import TestKit
import Testing

@Suite("Text messages by webhook", .endsInTime)
struct TextWebhookTests {
    private func send(
        within timeout: Duration = .seconds(30),
        _ handler: @escaping @Sendable (ReceivedRequest) async throws -> Say
    ) async throws -> (failure: MessageFailure?, asks: [ReceivedRequest]) {
        try await withServer(handler) { url, asked in
            let client = WebClient()
            let webhook = try TextWebhook(client: client, url: url + "/sms", token: "t0ken", timeout: timeout)
            var failure: MessageFailure?
            do throws(MessageFailure) {
                try await webhook.send(["messageId": "m-1", "to": "13912345678"])
            } catch {
                failure = error
            }
            await client.shutdown()
            return (failure, asked.all)
        }
    }

    @Test("A text is posted as JSON with the bearer token, and 2xx means accepted") func taken() async throws {
        let (failure, asks) = try await send { _ in Say(status: 204, body: "") }

        #expect(failure == nil)
        #expect(asks.count == 1)
        #expect(asks.first?.method == "POST")
        #expect(asks.first?.path == "/sms")
        #expect(asks.first?.authorization == "Bearer t0ken")
        #expect(asks.first?.body == #"{"messageId":"m-1","to":"13912345678"}"#)
    }

    @Test(
        "4xx is permanent, and all other failures are temporary",
        arguments: [
            (400, true), (401, true), (404, true), (408, false), (429, false), (500, false), (503, false), (301, false),
        ]
    )
    func refused(status: Int, isPermanent: Bool) async throws {
        let (failure, _) = try await send { _ in Say(status: status, body: "t0ken") }

        let reason = "The webhook answered \(status)."
        #expect(failure == (isPermanent ? .refused(reason) : .unavailable(reason)))
    }

    @Test("A server that doesn't answer times out")
    func hangs() async throws {
        let (failure, _) = try await send(within: .milliseconds(300), hang)

        #expect(failure == .unavailable("The webhook failed: the server did not answer in time."))
    }

    @Test(
        "Without TLS a token is sent only to this machine",
        arguments: ["http://sms.test/", "ftp://x", "", "https://"]
    )
    func addresses(url: String) async {
        let client = WebClient()
        let rejection = #expect(throws: Rejection.self) { _ = try TextWebhook(client: client, url: url) }
        await client.shutdown()

        #expect(rejection?.field == "url")
    }
}
