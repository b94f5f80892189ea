import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle

/// The HTTP side of the service: health, readiness, metrics, and the pages behind links.
///
/// It listens on loopback unless configured otherwise; nothing it serves needs a login.
package struct WebServer: Service {
    private let host: String
    private let port: Int
    private let readiness: Readiness
    private let metrics: PrometheusRegistry
    private let pages: Pages?
    private let logger: Logger

    /// How many connections are open at once.
    private static let connectionsMax = 1024
    /// How long one may be silent in the middle of a request, or between two.
    private static let idleMax = TimeAmount.seconds(30)

    /// Makes a server that begins to listen when it is run; without `pages` it serves none.
    package init(
        host: String,
        port: Int,
        readiness: Readiness,
        metrics: PrometheusRegistry,
        pages: Pages? = nil,
        logger: Logger
    ) {
        self.host = host
        self.port = port
        self.readiness = readiness
        self.metrics = metrics
        self.pages = pages
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
            // Who connects and says nothing, or says it slowly, keeps nobody else out.
            server: .http1(configuration: .init(idleTimeout: Self.idleMax)),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port),
                availableConnectionsDelegate: MaximumAvailableConnections(Self.connectionsMax)
            ),
            onServerRunning: { _ in readiness.isReady("http") },
            logger: logger
        )
        try await application.run()
    }

    func makeRouter() -> Router<WebContext> {
        // Some programs that look at links in mails ask with HEAD first.
        let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: SecurityHeaders(isSecure: pages?.isSecure ?? false))
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
        if let pages {
            let start = ContinuousClock.now
            let visits = VisitLimit(perMinute: pages.visitsPerMinute) {
                (ContinuousClock.now - start).components.seconds
            }
            LinkRoutes(pages: pages, visits: visits).add(to: router)
            AvatarRoute(pages: pages).add(to: router)
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
