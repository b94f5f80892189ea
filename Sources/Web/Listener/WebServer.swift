import Hummingbird
package import Logging
import NIOCore
import ServiceLifecycle

/// The HTTP listener that users reach: the pages behind links, pictures, the reference, and `/healthz`.
///
/// It listens on loopback, and with a certificate on all addresses, unless configured otherwise; nothing it serves
/// needs a login. What it tells of the service is that it lives: figures and reasons are on the listener of
/// `HealthServer`.
package struct WebServer: Service {
    private let endpoints: [Endpoint]
    private let readiness: Readiness
    private let pages: Pages?
    private let documents: Documents?
    private let console: @Sendable (_ isLocal: Bool) -> String?
    private let limits: ListenerLimits
    private let tell: ListenerRefusal.Teller
    private let logger: Logger

    /// Makes a server that begins to listen when it is run.
    ///
    /// Without `pages` it serves none of those behind links, without `documents` no reference. `console` gives the address of
    /// the console for a visitor on this machine or elsewhere. `tell` is told of connections that are refused.
    package init(
        endpoints: [Endpoint],
        readiness: Readiness,
        pages: Pages? = nil,
        documents: Documents? = nil,
        console: @escaping @Sendable (_ isLocal: Bool) -> String? = { _ in nil },
        limits: ListenerLimits = ListenerLimits(),
        tell: @escaping ListenerRefusal.Teller = { _ in },
        logger: Logger
    ) {
        self.tell = tell
        self.endpoints = endpoints
        self.readiness = readiness
        self.pages = pages
        self.documents = documents
        self.console = console
        self.limits = limits
        self.logger = logger
    }

    /// Serves until the group shuts down; ends with an error when an address cannot be bound.
    package func run() async throws {
        let readiness = readiness
        let listener = Listener(
            name: "pages",
            endpoints,
            limits: limits,
            party: ConnectionParty.householdOrProxied,
            logger: logger,
            tell: tell
        )
        try await listener.run(makeRouter()) { readiness.isReady("http") }
    }

    func makeRouter() -> Router<WebContext> {
        // Some programs that look at links in mails ask with HEAD first.
        let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: SecurityHeaders(isSecure: pages?.isSecure ?? false))
        let home = HomePage(
            basePath: pages?.basePath ?? "",
            hasDocuments: documents != nil,
            console: console
        )
        router.add(middleware: MissingPage(home: home))
        router.get("healthz") { _, _ in PlainAnswer.alive }
        home.add(to: router) { [readiness] in readiness.isAllReady }
        documents?.add(to: router)
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
}

/// Answers that are one text.
enum PlainAnswer {
    /// What `/healthz` says while the process lives.
    static var alive: Response { text(.ok, "application/json", text: #"{"ok":true}"# + "\n") }

    /// Returns an answer of a status, a media type and a text.
    static func text(_ status: HTTPResponse.Status, _ type: String, text: String) -> Response {
        Response(
            status: status,
            headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}
