import Hummingbird
package import Logging
import ServiceLifecycle

/// The HTTP side of the service: health, readiness and metrics.
///
/// It listens on loopback unless configured otherwise; nothing it serves needs a login.
package struct WebServer: Service {
    private let host: String
    private let port: Int
    private let readiness: Readiness
    private let metrics: PrometheusRegistry
    private let logger: Logger

    /// Makes a server that begins to listen when it is run.
    package init(
        host: String,
        port: Int,
        readiness: Readiness,
        metrics: PrometheusRegistry,
        logger: Logger
    ) {
        self.host = host
        self.port = port
        self.readiness = readiness
        self.metrics = metrics
        self.logger = logger
    }

    /// Serves until the group shuts down; ends with an error when the address cannot be bound.
    package func run() async throws {
        let readiness = readiness
        var logger = logger
        // A request is not news; the library would tell of each at info.
        logger.logLevel = max(logger.logLevel, .warning)
        let application = Application(
            router: makeRouter(),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { _ in readiness.isReady("http") },
            logger: logger
        )
        try await application.run()
    }

    func makeRouter() -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: SecurityHeaders())
        router.get("healthz") { _, _ in
            Self.answer(.ok, "application/json", #"{"ok":true}"# + "\n")
        }
        router.get("readyz") { [readiness] _, _ in
            Self.answer(
                readiness.isAllReady ? .ok : .serviceUnavailable,
                "application/json",
                ReadinessText.json(readiness.parts)
            )
        }
        router.get("metrics") { [metrics] _, _ in
            Self.answer(.ok, "text/plain; version=0.0.4; charset=utf-8", metrics.render())
        }
        return router
    }

    private static func answer(
        _ status: HTTPResponse.Status,
        _ type: String,
        _ text: String
    ) -> Response {
        Response(
            status: status,
            headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}
