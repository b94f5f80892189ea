import Hummingbird
import NIOCore
import ServiceLifecycle

/// The HTTP listener for users, which serves pages, pictures, the reference, requests, streams, and `/healthz`.
///
/// With a certificate, the server listens on all addresses by default. Without a certificate, the default is loopback.
/// The pages require no login. This server reports only whether the service is alive and whether it accepts work.
/// `HealthServer` reports metrics and reasons on another listener.
package struct WebServer: Service {
    private let listener: Listener
    private let readiness: Readiness
    private let pages: Pages?
    private let documents: Documents?
    private let front: RequestFront?
    private let oauth: (any AuthorizationServer)?
    private let console: @Sendable (_ isLocal: Bool) -> String?

    /// Creates a server that begins to listen when it's run.
    ///
    /// The server leaves out each part whose parameter is nil. `pages` are the pages that the links in messages open,
    /// and `documents` is the reference. `front` serves requests and streams, and `oauth` is the authorization server.
    /// `console` returns the console's URL for a visitor of the home page, or nil if the home page must not show the
    /// URL.
    package init(
        _ listener: Listener,
        readiness: Readiness,
        pages: Pages? = nil,
        documents: Documents? = nil,
        front: RequestFront? = nil,
        oauth: (any AuthorizationServer)? = nil,
        console: @escaping @Sendable (_ isLocal: Bool) -> String? = { _ in nil }
    ) {
        self.listener = listener
        self.readiness = readiness
        self.pages = pages
        self.documents = documents
        self.front = front
        self.oauth = oauth
        self.console = console
    }

    /// Serves requests until shutdown, or throws if an address can't be bound.
    package func run() async throws {
        try await listener.run(makeRouter()) { [readiness] in readiness.isReady("http") }
    }

    func makeRouter() -> Router<WebContext> {
        // Some programs that check links in e-mails send a HEAD request first.
        let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: SecurityHeaders(isSecure: pages?.isSecure ?? false))
        if let front { router.add(middleware: RequestRoutes(front: front)) }
        let home = HomePage(basePath: pages?.basePath ?? "", hasDocuments: documents != nil, console: console)
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
            if let front, let oauth {
                OAuthRoutes(server: oauth, front: front, pages: pages, visits: visits).add(to: router)
            }
        }
        return router
    }
}

/// HTTP answers that consist of one string.
enum PlainAnswer {
    /// The answer of `/healthz` while the process is alive.
    static var alive: Response { text(.ok, "application/json", text: #"{"ok":true}"# + "\n") }

    /// Returns an answer with a status, a media type and a string.
    static func text(_ status: HTTPResponse.Status, _ type: String, text: String) -> Response {
        let body = ResponseBody(byteBuffer: ByteBuffer(string: text))
        return Response(status: status, headers: [.contentType: type], body: body)
    }

    /// Returns a page of HTML without scripts.
    ///
    /// The content security policy doesn't limit the targets of forms. Browsers would apply such a limit to redirects
    /// too.
    static func page(_ status: HTTPResponse.Status, _ html: String) -> Response {
        var response = text(status, "text/html; charset=utf-8", text: html)
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"
        return response
    }
}
