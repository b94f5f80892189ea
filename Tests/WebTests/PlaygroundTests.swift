import Hummingbird
import Logging
import NIOCore
import Testing

@testable import Web

@Suite struct PlaygroundTests {
    private let playground = Playground(webSocketPort: 8083, webSocketTLSPort: 8084) { isLocal in
        isLocal ? "keys" : "no keys"
    }

    private var router: Router<WebContext> {
        let documents = Documents(playground: playground) { path in
            ["index.html", "try.html", "try/page.js"].contains(path) ? ("text/plain", path) : nil
        }
        return WebServer(.unused, readiness: Readiness(parts: []), documents: documents).makeRouter()
    }

    private func get(
        _ path: String,
        _ fields: [String: String] = [:]
    ) async throws -> (policy: String, cache: String, body: String) {
        var headers = HTTPFields()
        for (name, value) in fields {
            headers[try #require(HTTPFields.Element.Name(name))] = value
        }
        let answer = try await Asked(router, path, headers: headers)
        return (answer.headers[.contentSecurityPolicy] ?? "", answer.headers[.cacheControl] ?? "", answer.body)
    }

    @Test(
        "The page can connect to its own origin and to the service's WebSockets, under the requested name",
        arguments: [
            ("127.0.0.1:8080", "'self' ws://127.0.0.1:8083 wss://127.0.0.1:8084"),
            (
                "lamps.example.com",
                "'self' ws://lamps.example.com:8083 wss://lamps.example.com:8084"
            ),
            ("[::1]:8080", "'self' ws://127.0.0.1:8083 wss://127.0.0.1:8084"),
            ("[2001:db8::1]:8080", "'self'"), ("a b", "'self'"), ("x;script-src *", "'self'"),
            ("*", "'self'"), ("", "'self'"),
        ]
    )
    func sources(_ host: String, _ sources: String) {
        #expect(playground.connectSources(host: host) == sources)
    }

    @Test("A disabled listener is not a source")
    func off() {
        let none = Playground(webSocketPort: nil, webSocketTLSPort: nil) { _ in "" }

        #expect(none.connectSources(host: "127.0.0.1") == "'self'")
    }

    @Test("Only the playground's page can connect, and browsers revalidate it at each visit")
    func policy() async throws {
        let page = try await get("/docs/try.html")
        let other = try await get("/docs/index.html")

        #expect(page.policy.contains("connect-src 'self' ws://"))
        #expect(page.cache == "no-cache")
        #expect(!other.policy.contains("connect-src"))
        // The playground's page registers its service worker.
        #expect(page.policy.hasSuffix("trusted-types push-worker"))
        #expect(other.policy.hasSuffix("trusted-types 'none'"))
        for policy in [page.policy, other.policy] {
            #expect(policy.hasPrefix("default-src 'none'"))
            #expect(policy.contains("require-trusted-types-for 'script'"))
        }
    }

    @Test("Visitors on this machine get the keys")
    func keys() async throws {
        let facts = try await get("/docs/try/facts.json")

        #expect(facts.body == "keys")
        #expect(facts.cache == "no-store")
    }

    @Test(
        "Visitors through a proxy and pages of other sites don't get the keys",
        arguments: [
            ("X-Forwarded-For", "192.0.2.1"), ("Forwarded", "for=192.0.2.1"), ("Via", "1.1 front"),
            ("X-Real-IP", "192.0.2.1"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"),
        ]
    )
    func noKeys(_ name: String, _ value: String) async throws {
        #expect(try await get("/docs/try/facts.json", [name: value]).body == "no keys")
    }

    @Test(
        "A visitor on this machine has a local address and uses one of its names",
        arguments: [
            ("127.0.0.1", "127.0.0.1:8080", true), ("::1", "[::1]:8080", true), ("127.0.0.1", "localhost", true),
            ("::ffff:127.0.0.1", "LOCALHOST:1", true), ("192.0.2.1", "127.0.0.1:8080", false),
            ("127.0.0.1", "evil.example", false), ("127.0.0.1", "127.0.0.1.evil.example", false),
            ("127.0.0.1", "", false),
        ]
    )
    func local(_ address: String, _ authority: String, _ isLocal: Bool) {
        let request = Request(
            head: .init(method: .get, scheme: "http", authority: authority, path: "/"),
            body: .init(buffer: ByteBuffer())
        )

        #expect(LocalVisit.isLocal(request, from: address) == isLocal)
    }
}
