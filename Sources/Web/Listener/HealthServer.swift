import Hummingbird
import ServiceLifecycle

/// The HTTP listener for operators' programs, which serves the health check, readiness with reasons, and metrics.
///
/// The listener is separate from the listener for pages. A proxy that forwards all pages therefore doesn't publish the
/// metrics and reasons. A health check can connect even if the listener for pages is full.
package struct HealthServer: Service {
    private let listener: Listener
    private let readiness: Readiness
    private let metrics: PrometheusRegistry

    /// Creates a server that begins to listen when it's run.
    package init(_ listener: Listener, readiness: Readiness, metrics: PrometheusRegistry) {
        (self.listener, self.readiness, self.metrics) = (listener, readiness, metrics)
    }

    /// Serves requests until shutdown, or throws if the address can't be bound.
    package func run() async throws {
        try await listener.run(makeRouter()) { [readiness] in readiness.isReady("health") }
    }

    func makeRouter() -> Router<WebContext> {
        let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: SecurityHeaders(isSecure: false))
        router.get("healthz") { _, _ in PlainAnswer.alive }
        router.get("readyz") { [readiness] _, _ in
            let status: HTTPResponse.Status = readiness.isAllReady ? .ok : .serviceUnavailable
            return PlainAnswer.text(status, "application/json", text: ReadinessText.json(readiness.parts))
        }
        router.get("metrics") { [metrics] _, _ in
            PlainAnswer.text(.ok, "text/plain; version=0.0.4; charset=utf-8", text: metrics.render())
        }
        return router
    }
}
