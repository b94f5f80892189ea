import Hummingbird

/// Middleware that adds missing security headers, and removes the body from answers to HEAD.
///
/// The headers keep browsers from guessing the answer's type. Browsers also must not store the answer or show it in a
/// frame. If an answer to HEAD had a body, a proxy would take the body for the next answer.
struct SecurityHeaders<Context: RequestContext>: RouterMiddleware {
    /// Whether users connect over HTTPS; if they do, a header tells browsers to use only HTTPS.
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
            // An error, such as a missing page, also becomes an answer with the security headers.
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
