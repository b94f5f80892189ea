import Hummingbird
import JSON
import Logging
import Testing

@testable import Web

@Suite struct WebServerTests {
    private let readiness = Readiness(parts: ["broker", "store"])
    private let metrics = PrometheusRegistry()

    private typealias Answer = (status: Int, type: String, body: String)

    private func get(_ path: String) async throws -> Answer {
        let server = HealthServer(.unused, readiness: readiness, metrics: metrics)
        return try await get(path, server.makeRouter())
    }

    private func get(_ path: String, _ router: Router<WebContext>) async throws -> Answer {
        let answer = try await Asked(router, path)
        return (answer.status, answer.headers[.contentType] ?? "", answer.body)
    }

    private var pages: WebServer {
        WebServer(.unused, readiness: readiness)
    }

    @Test(
        "The users' listener shows neither figures nor reasons, whatever is requested",
        arguments: [
            "/metrics", "//metrics", "/metrics/", "/%6detrics", "/readyz", "//readyz", "/./readyz",
            "/healthz/../metrics", "/Metrics",
        ]
    )
    func figuresAreElsewhere(_ path: String) async throws {
        let answer = try await get(path, pages.makeRouter())

        #expect(answer.status == 404)
        #expect(!answer.body.contains("lamplighter_"))
    }

    @Test("The users' listener says that the process is alive")
    func pagesAreAlive() async throws {
        let answer = try await get("/healthz", pages.makeRouter())

        #expect(answer.status == 200)
    }

    @Test("The listener says that the process is alive, whatever else fails")
    func health() async throws {
        let answer = try await get("/healthz")

        #expect(answer.status == 200)
        #expect(answer.body == "{\"ok\":true}\n")
    }

    @Test("The listener names the part that isn't ready, and the reason")
    func notReady() async throws {
        readiness.isReady("store")
        readiness.isWaiting("broker", for: "it ended")

        let answer = try await get("/readyz")

        #expect(answer.status == 503)
        let object = try JSONValue.parse(Array(answer.body.utf8)).objectValue
        #expect(object?["ready"]?.boolValue == false)
        let parts = object?["parts"]?.arrayValue?.compactMap(\.objectValue) ?? []
        #expect(parts.first?["name"]?.stringValue == "broker")
        #expect(parts.first?["reason"]?.stringValue == "it ended")
        #expect(parts.last?["ready"]?.boolValue == true)
    }

    @Test("The service is ready when all parts are")
    func ready() async throws {
        for part in ["broker", "store"] { readiness.isReady(part) }

        let answer = try await get("/readyz")

        #expect(answer.status == 200)
        #expect(answer.type == "application/json")
    }

    @Test("The metrics page can be parsed strictly")
    func metricsPage() async throws {
        let answer = try await get("/metrics")

        #expect(answer.status == 200)
        #expect(answer.type == "text/plain; version=0.0.4; charset=utf-8")
        #expect(try PrometheusPage(answer.body).types["lamplighter_batch_size"] == "histogram")
    }

    @Test("Each answer forbids browsers to guess its type, frame it or store it")
    func securityHeaders() async throws {
        let headers = try await Asked(pages.makeRouter(), "/healthz").headers

        #expect(headers[.xContentTypeOptions] == "nosniff")
        #expect(headers[.cacheControl] == "no-store")
        #expect(headers[.contentSecurityPolicy] == "default-src 'none'; frame-ancestors 'none'")
    }

    private func shown(_ path: String) async throws -> Answer {
        let playground = Playground(webSocketPort: nil, webSocketTLSPort: nil) { _ in "{}" }
        let documents = Documents(playground: playground) {
            $0 == "index.html" ? (mediaType: "text/html; charset=utf-8", text: "start") : nil
        }
        let server = WebServer(.unused, readiness: readiness, documents: documents)
        return try await get(path, server.makeRouter())
    }

    @Test func theFirstPageSaysHowTheServiceIsAndLinksOn() async throws {
        #expect(try await shown("/").body.contains("does not accept work at present"))
        readiness.isReady("broker")
        readiness.isReady("store")
        let page = try await shown("/")
        #expect(page.status == 200)
        #expect(page.body.contains("The service runs and accepts work."))
        #expect(page.body.contains("href=\"/docs/\""))
    }

    @Test("The listener names the console only to those allowed by the operator")
    func console() async throws {
        let server = WebServer(
            .unused,
            readiness: readiness,
            console: { $0 ? "http://127.0.0.1:8082" : nil }
        )
        func page(from address: String) async throws -> String {
            try await Asked(server.makeRouter(), "/", from: address).body
        }

        #expect(try await page(from: "127.0.0.1").contains("href=\"http://127.0.0.1:8082/console/\""))
        #expect(try await !page(from: "192.0.2.7").contains("/console/"))
        #expect(try await !get("/nothing", server.makeRouter()).body.contains("/console/"))
    }

    @Test(arguments: ["/nothing", "/docs/nothing", "/docs/a/b"]) func anUnknownPathGetsAPageWithLinks(
        path: String
    ) async throws {
        let page = try await shown(path)
        #expect(page.status == 404)
        #expect(page.type == "text/html; charset=utf-8")
        #expect(page.body.contains("href=\"/docs/\"") && page.body.contains("href=\"/\""))
    }

    @Test func documentsAreServedAsTheyAre() async throws {
        #expect(try await shown("/docs/").body == "start")
        #expect(try await shown("/docs/index.html").body == "start")
        #expect(try await shown("/docs").status == 301)
    }
}
