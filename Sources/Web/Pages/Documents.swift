import Hummingbird

/// The reference as the listener serves it, below `/docs/`.
package struct Documents: Sendable {
    private let file: @Sendable (_ path: String) -> (mediaType: String, text: String)?

    /// Serves files by their paths below `/docs/`; nil where there is none.
    package init(file: @escaping @Sendable (_ path: String) -> (mediaType: String, text: String)?) {
        self.file = file
    }

    func add(to router: Router<WebContext>) {
        router.get("docs") { request, _ in
            // A path relative to this one leads right below every prefix; without its slash the pages' own links don't.
            request.uri.path.hasSuffix("/")
                ? try answer("index.html")
                : Response(status: .movedPermanently, headers: [.location: "docs/"])
        }
        router.get("docs/**") { _, context in
            try answer(context.parameters.getCatchAll().joined(separator: "/"))
        }
    }

    private func answer(_ path: String) throws -> Response {
        guard let found = file(path) else { throw HTTPError(.notFound) }
        return Response(
            status: .ok,
            headers: [
                .contentType: found.mediaType, .cacheControl: "public, max-age=300",
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; "
                    + "form-action 'none'; frame-ancestors 'none'",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: found.text))
        )
    }
}
