import Hummingbird

/// The reference with its playground, which is served below `/docs/`.
package struct Documents: Sendable {
    private let file: @Sendable (_ path: String) -> (mediaType: String, text: String)?
    private let playground: Playground

    /// Creates documents with a closure `file` that returns the file at a path below `/docs/`.
    package init(
        playground: Playground,
        file: @escaping @Sendable (_ path: String) -> (mediaType: String, text: String)?
    ) {
        self.playground = playground
        self.file = file
    }

    func add(to router: Router<WebContext>) {
        router.get("docs") { request, _ in
            // The redirect uses the relative path `docs/`, so it works below every prefix. The links in the pages need
            // the final slash.
            request.uri.path.hasSuffix("/")
                ? try answer("index.html") : Response(status: .movedPermanently, headers: [.location: "docs/"])
        }
        router.get("docs/**") { request, context in
            let path = context.parameters.getCatchAll().joined(separator: "/")
            switch path {
            case Playground.factsPath:
                let isLocal = LocalVisit.isLocal(request, from: context.remoteAddress?.ipAddress)
                return PlainAnswer.text(.ok, "application/json", text: playground.facts(isLocal))
            case Playground.page:
                let sources = playground.connectSources(host: request.head.authority)
                return try answer(path, policy: "connect-src \(sources); ", scripts: "push-worker")
            default: return try answer(path)
            }
        }
    }

    /// Returns an answer with a file, or throws an error if the file doesn't exist.
    ///
    /// `policy` is added to the content security policy. `scripts` is the name of the only Trusted Types policy that
    /// the file's scripts may create. By default, they may create none.
    private func answer(_ path: String, policy: String = "", scripts: String = "'none'") throws -> Response {
        guard let found = file(path) else { throw HTTPError(.notFound) }
        var response = PlainAnswer.text(.ok, found.mediaType, text: found.text)
        // The playground's files must all be of the same version, and the security policy of the playground's page
        // contains the ports of this run. A browser must therefore ask the service before it uses a cached copy.
        response.headers[.cacheControl] = path.hasPrefix("try") ? "no-cache" : "public, max-age=300"
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \(policy)base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types \(scripts)"
        return response
    }
}
