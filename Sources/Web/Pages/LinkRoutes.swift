import Domain
import Hummingbird

/// The pages behind the links in messages.
///
/// Opening a link shows a page and changes nothing. The button posts the token in the request's body, so the URL of
/// this second request doesn't contain the token. Neither opening the link nor pressing the button is logged.
struct LinkRoutes: Sendable {
    let pages: Pages
    let visits: VisitLimit

    /// The maximum length of a posted form, in bytes.
    static let bodyMax = 16_384
    private static let tokenMax = 64

    func add(to router: Router<WebContext>) {
        router.get("link/{token}") { request, context in
            let token = context.parameters.get("token") ?? ""
            return await answer(request, context, token: token) {
                token.utf8.count <= Self.tokenMax ? await pages.look(token) : LinkView(.over)
            }
        }
        router.post("link") { request, context in
            var request = request
            guard let fields = await FormFields.read(&request, upTo: Self.bodyMax) else {
                return page(LinkView(.over), .english, status: .badRequest, token: "")
            }
            let token = fields["token"] ?? ""
            return await answer(request, context, token: token) { await follow(token, fields) }
        }
    }

    private func follow(_ token: String, _ fields: [String: String]) async -> LinkView {
        guard token.utf8.count <= Self.tokenMax else { return LinkView(.over) }
        guard let password = fields["password"] else { return await pages.follow(token, nil) }
        guard password == fields["repeat"] else {
            var view = await pages.look(token)
            if view.step == .ask { view.step = .badPassword(.differs) }
            return view
        }
        return await pages.follow(token, password)
    }

    private func answer(
        _ request: Request,
        _ context: WebContext,
        token: String,
        view: () async -> LinkView
    ) async -> Response {
        let asked = request.headers[.acceptLanguage].flatMap { Language.pick(acceptLanguage: $0) }
        guard visits.admit(context.visitor(of: request)) else {
            return page(LinkView(.busy), asked ?? .english, status: .tooManyRequests, token: "")
        }
        let view = await view()
        let status: HTTPResponse.Status =
            switch view.step {
            case .ask, .done: .ok
            case .badPassword: .unprocessableContent
            case .over: .gone
            case .busy: .serviceUnavailable
            }
        return page(view, asked ?? view.language ?? .english, status: status, token: token)
    }

    private func page(_ view: LinkView, _ language: Language, status: HTTPResponse.Status, token: String) -> Response {
        let page = LinkPage(view: view, language: language, basePath: pages.basePath, token: token)
        var response = PlainAnswer.text(status, "text/html; charset=utf-8", text: page.html)
        response.headers[.contentLanguage] = language.rawValue
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        if view.step == .busy { response.headers[.retryAfter] = "60" }
        return response
    }
}
