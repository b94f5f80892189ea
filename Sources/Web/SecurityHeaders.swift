import Hummingbird

/// Adds to every answer the headers that keep browsers from guessing its type, framing it or storing it, unless the
/// answer sets them; and takes the body from every answer to HEAD, which a proxy would read as the next answer.
struct SecurityHeaders<Context: RequestContext>: RouterMiddleware {
    /// Whether users connect by https, so that browsers must keep to it.
    let isSecure: Bool

    @concurrent func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as any HTTPResponseError {
            // An error such as a missing page is an answer too.
            response = try error.response(from: request, context: context)
        }
        for (name, value) in Self.headers where response.headers[name] == nil { response.headers[name] = value }
        if isSecure { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        return request.method == .head ? response.createHeadResponse() : response
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
        guard let name = HTTPFields.Element.Name(text) else { preconditionFailure("bad header \(text)") }
        return name
    }
}
