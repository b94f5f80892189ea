import Domain
import Hummingbird

/// The page at `/`, and the page for unknown paths.
struct HomePage: Sendable {
    /// The path in `publicUrl`: empty, or with a slash at the beginning.
    let basePath: String
    /// Whether the page links to the reference.
    let hasDocuments: Bool
    /// Returns the console's URL, or nil if the page must not show the URL.
    var console: @Sendable (_ isLocal: Bool) -> String? = { _ in nil }

    /// Adds the routes of this page and of the pages' common style sheet.
    func add(to router: Router<WebContext>, isReady: @escaping @Sendable () -> Bool) {
        router.get("/") { request, context in
            let isLocal = LocalVisit.isLocal(request, from: context.remoteAddress?.ipAddress)
            let state =
                isReady()
                ? "The service runs and accepts work." : "The service runs, but does not accept work at present."
            return page(.ok, title: "Lamplighter", text: state, console: console(isLocal))
        }
        router.get("pages/style.css") { _, _ in
            var response = PlainAnswer.text(.ok, "text/css; charset=utf-8", text: LinkPage.style)
            response.headers[.cacheControl] = "public, max-age=3600"
            return response
        }
    }

    /// The page for an unknown path.
    var missing: Response {
        page(.notFound, title: "There is no such page", text: "The address is mistyped, or a link is incomplete.")
    }

    private func page(_ status: HTTPResponse.Status, title: String, text: String, console: String? = nil) -> Response {
        let base = HTML.escape(basePath)
        let home = status == .ok ? "" : "<p><a href=\"\(base)/\">Service status</a></p>\n"
        let documents = hasDocuments ? Self.documents(base) : ""
        let operators = console.map { url in
            "<p><a href=\"\(HTML.escape(url))/console/\">The console</a>: for operators</p>\n"
        }
        let html = HTML.page(
            language: "en",
            title: title,
            basePath: basePath,
            """
            <h1>\(title)</h1>
            <p>\(text)</p>
            \(home)\(operators ?? "")\(documents)
            """
        )
        return PlainAnswer.page(status, html)
    }

    private static func documents(_ base: String) -> String {
        """
        <p><a href="\(base)/docs/try.html">Try it</a>: a lamp and an app in the browser</p>
        <p><a href="\(base)/docs/">The reference</a>: every topic, method, code and setting</p>
        <p><a href="\(base)/docs/examples.html">The examples</a>: a first device, a first app, by hand</p>

        """
    }
}

/// Middleware that answers an unknown path with a page.
struct MissingPage: RouterMiddleware {
    typealias Context = WebContext

    let home: HomePage

    @concurrent func handle(
        _ request: Request,
        context: WebContext,
        next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            return home.missing
        }
    }
}

extension HTML {
    /// Returns a page that consists of the plain text `title` and the HTML `main`, and contains no scripts.
    static func page(language: String, title: String, basePath: String, _ main: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="\(language)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <title>\(escape(title))</title>
        <link rel="stylesheet" href="\(escape(basePath))/pages/style.css">
        </head>
        <body>
        <main>
        \(main)</main>
        </body>
        </html>

        """
    }
}
