import Hummingbird

/// Puts on every answer the headers that keep a browser from guessing, framing or storing it.
struct SecurityHeaders<Context: RequestContext>: RouterMiddleware {
    @concurrent func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        for (name, value) in Self.headers { response.headers[name] = value }
        return response
    }

    private static var headers: [(HTTPFields.Element.Name, String)] {
        [
            (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
            (.xContentTypeOptions, "nosniff"),
            (.cacheControl, "no-store"),
            (name("Referrer-Policy"), "no-referrer"),
            (name("X-Frame-Options"), "DENY"),
        ]
    }

    private static func name(_ text: String) -> HTTPFields.Element.Name {
        guard let name = HTTPFields.Element.Name(text) else {
            preconditionFailure("bad header \(text)")
        }
        return name
    }
}
