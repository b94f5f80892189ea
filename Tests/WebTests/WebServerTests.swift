import Hummingbird
import HummingbirdTesting
import JSON
import Logging
import Testing

@testable import Web

@Suite struct WebServerTests {
    private let readiness = Readiness(parts: ["broker", "store"])
    private let metrics = PrometheusRegistry()

    private func get(_ path: String) async throws -> (status: Int, type: String, body: String) {
        let server = WebServer(
            host: "127.0.0.1",
            port: 0,
            readiness: readiness,
            metrics: metrics,
            logger: Logger(label: "test")
        )
        return try await Application(router: server.makeRouter()).test(.router) { client in
            try await client.execute(uri: path, method: .get) { response in
                (
                    response.status.code, response.headers[.contentType] ?? "",
                    String(buffer: response.body)
                )
            }
        }
    }

    @Test("It says that it is alive, whatever else is not")
    func health() async throws {
        let answer = try await get("/healthz")

        #expect(answer.status == 200)
        #expect(answer.body == "{\"ok\":true}\n")
    }

    @Test("It names the part that does not accept work, and why")
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

    @Test("It is ready when all parts are")
    func ready() async throws {
        for part in ["broker", "store"] { readiness.isReady(part) }

        let answer = try await get("/readyz")

        #expect(answer.status == 200)
        #expect(answer.type == "application/json")
    }

    @Test("Its metrics page parses strictly")
    func metricsPage() async throws {
        let answer = try await get("/metrics")

        #expect(answer.status == 200)
        #expect(answer.type == "text/plain; version=0.0.4; charset=utf-8")
        #expect(try PrometheusPage(answer.body).types["lamplighter_batch_size"] == "histogram")
    }

    @Test("Every answer tells a browser not to guess, frame or store it")
    func securityHeaders() async throws {
        let server = WebServer(
            host: "127.0.0.1",
            port: 0,
            readiness: readiness,
            metrics: metrics,
            logger: Logger(label: "test")
        )
        try await Application(router: server.makeRouter()).test(.router) { client in
            try await client.execute(uri: "/healthz", method: .get) { response in
                #expect(response.headers[.xContentTypeOptions] == "nosniff")
                #expect(response.headers[.cacheControl] == "no-store")
                #expect(
                    response.headers[.contentSecurityPolicy]
                        == "default-src 'none'; frame-ancestors 'none'"
                )
            }
        }
    }
}
