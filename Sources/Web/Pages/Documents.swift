import Hummingbird

/// The reference with its playground, which is served below `/docs/`.
package struct Documents: Sendable {
    private let file: @Sendable (_ path: String) -> (mediaType: String, text: String)?
    private let playground: Playground

    /// Creates the documents; `file` returns the file at a path below `/docs/`, or nil.
    package init(
        playground: Playground,
        file: @escaping @Sendable (_ path: String) -> (mediaType: String, text: String)?
    ) {
        self.playground = playground
        self.file = file
    }

    func add(to router: Router<WebContext>) {
        router.get("docs") { request, _ in
            // This relative path works below every prefix. The path's final slash is needed for the links in the pages.
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
                return try answer(path, policy: "connect-src \(sources); ")
            default: return try answer(path)
            }
        }
    }

    private func answer(_ path: String, policy: String = "") throws -> Response {
        guard let found = file(path) else { throw HTTPError(.notFound) }
        return Response(
            status: .ok,
            headers: [
                .contentType: found.mediaType,
                // The files of the playground must have the same version, and depend on the ports of this run, so they
                // aren't cached.
                .cacheControl: path.hasPrefix("try") ? "no-cache" : "public, max-age=300",
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \(policy)base-uri 'none'; "
                    + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: found.text))
        )
    }
}
