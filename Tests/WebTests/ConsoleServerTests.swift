import Hummingbird
import Logging
import Testing

@testable import Web

@Suite("The listener of the console")
struct ConsoleServerTests {
    /// A responder that answers `/stream` with a stream, and other paths with the request's body.
    ///
    /// If the body has more than three bytes, the responder answers with the status 413.
    private struct Responder: ConsoleResponder {
        func answer(
            _ request: ConsoleRequest,
            reading read: BodyReader
        ) async -> ConsoleAnswer {
            guard request.path != ["stream"] else {
                return ConsoleAnswer(200, headers: [], body: .stream { try await $0.write([46]) })
            }
            let body = await read(3)
            return ConsoleAnswer(body == nil ? 413 : 200, headers: [], body: .bytes(body ?? []))
        }
        func stop() {}
    }

    private func status(
        _ method: HTTPRequest.Method,
        _ path: String,
        host: String = "localhost:8082",
        body: String = ""
    ) async throws -> Int {
        let server = ConsoleServer(
            .unused,
            responder: Responder(),
            names: ["lamps.example.com:8443", "*.lamps.example.org", "192.0.2.7", "fd00::7"],
            isSecure: false,
            readiness: Readiness(parts: [])
        )
        return try await Asked(server.makeRouter(), path, method: method, body: body).status
    }

    @Test("HEAD begins no stream")
    func head() async throws {
        #expect(try await status(.get, "/stream") == 200)
        #expect(try await status(.head, "/stream") == 405)
        #expect(try await status(.head, "/x") == 200)
    }

    @Test("Only as much of a body is read as its reader accepts")
    func body() async throws {
        #expect(try await status(.post, "/x", body: "abc") == 200)
        #expect(try await status(.post, "/x", body: "abcd") == 413)
    }

    @Test(
        "The console answers only under its own names",
        arguments: [
            ("localhost:8082", true), ("LOCALHOST", true), ("127.0.0.1:1", true),
            ("[::1]:8082", true),
            ("lamps.example.com", true), ("lamps.example.com:443", true), ("192.0.2.7:8082", true),
            ("[fd00::7]:1", true), ("a.lamps.example.org", true), ("b.a.lamps.example.org", false),
            ("lamps.example.org", false), ("evil.example", false),
            ("localhost.evil.example", false),
            ("127.0.0.1.evil.example", false), ("", false), ("[::1].evil", false),
        ]
    )
    func names(_ host: String, _ isOwn: Bool) {
        let rule = HostRule([
            "lamps.example.com:8443", "*.lamps.example.org", "192.0.2.7", "fd00::7",
        ])
        #expect(rule.allows(host) == isOwn)
        #expect(!rule.allows(nil))
    }
}
