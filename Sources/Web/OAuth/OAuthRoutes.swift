import Domain
import Hummingbird
import JSON

/// The endpoints of OAuth 2.0, and the authorization page (reference: oauth#endpoints).
struct OAuthRoutes: Sendable {
    let server: any AuthorizationServer
    let front: RequestFront
    let pages: Pages
    let visits: VisitLimit

    func add(to router: Router<WebContext>) {
        router.get("oauth/authorize") { request, context in await authorize(request, context, form: nil) }
        router.post("oauth/authorize") { request, context in
            var request = request
            let form = await FormFields.read(&request, upTo: LinkRoutes.bodyMax) ?? [:]
            return await authorize(request, context, form: form)
        }
        router.post("oauth/token") { request, _ in
            await endpoint(request) { parameters, basic in
                let tokens = try await server.token(parameters, basic)
                return [
                    "access_token": .string(tokens.access), "token_type": "Bearer",
                    "expires_in": .integer(OAuthToken.accessSeconds), "scope": .string(KeyScope.joined(tokens.scopes)),
                    "refresh_token": tokens.refresh.map { .string($0) },
                ]
            }
        }
        router.post("oauth/revoke") { request, _ in
            await endpoint(request) { parameters, basic in
                try await server.revoke(parameters, basic)
                return [:]
            }
        }
        router.get(".well-known/oauth-authorization-server") { _, _ in
            let text = WebTexts.text("oauth-server.json").replacing("{issuer}", with: server.issuer)
            return PlainAnswer.text(.ok, "application/json", text: text)
        }
    }

    private func endpoint(
        _ request: Request,
        _ answer: (OAuthParameters, (id: String, secret: String)?) async throws -> JSONObject
    ) async -> Response {
        do {
            var request = request
            guard let pairs = await FormFields.readPairs(&request, upTo: LinkRoutes.bodyMax) else {
                throw OAuthError("invalid_request", "The body must be application/x-www-form-urlencoded.")
            }
            return Self.json(try await answer(OAuthParameters(pairs), try Self.basic(request)), .ok)
        } catch {
            let error = error as? OAuthError ?? .away
            let members: JSONObject = ["error": .string(error.code), "error_description": .string(error.text)]
            var response = Self.json(members, HTTPResponse.Status(code: error.httpStatus))
            if error.httpStatus == 401 { response.headers[.wwwAuthenticate] = "Basic realm=\"lamplighter\"" }
            return response
        }
    }

    /// Returns the client's id and secret from `Authorization`, decoded like form values (RFC 6749).
    private static func basic(_ request: Request) throws -> (id: String, secret: String)? {
        guard let header = request.headers[.authorization] else { return nil }
        guard case .basic(let id, let secret)? = try? RequestCredentials.read(header), let id = FormFields.decode(id),
            let secret = FormFields.decode(secret)
        else { throw OAuthError("invalid_client", "The header Authorization must be Basic.") }
        return (id, secret)
    }

    private static func json(_ object: JSONObject, _ status: HTTPResponse.Status) -> Response {
        PlainAnswer.text(status, "application/json", text: String(decoding: object.encoded(), as: UTF8.self))
    }
}
