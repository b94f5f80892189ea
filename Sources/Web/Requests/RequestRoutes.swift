import Domain
import Hummingbird
import JSON
import NIOCore
import Wire

/// Middleware that answers requests and streams over HTTP below the root of the topics.
struct RequestRoutes: RouterMiddleware {
    typealias Context = WebContext

    let front: RequestFront

    @concurrent func handle(
        _ request: Request,
        context: WebContext,
        next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        guard request.uri.path.utf8.starts(with: "/\(front.root)/".utf8) else {
            return try await next(request, context)
        }
        guard Self.isUnambiguous(request) else {
            return Self.refusal(.invalid("Host", "A request must have one Host, and no transfer coding but chunked."))
        }
        let origin = request.headers[.origin]
        guard front.origins.allows(origin, host: request.head.authority, isSecure: front.isSecure) else {
            front.tell(ListenerRefusal(.origin, address: context.address(of: request), detail: origin ?? ""))
            return Self.refusal(
                Rejection(.forbidden, "Pages of this origin are not allowed: see the setting mqtt.webSocketOrigins.")
            )
        }
        var response: Response
        do {
            response = try await answer(request, context)
        } catch let rejection as Rejection {
            response = Self.refusal(rejection)
        } catch {
            response = Self.refusal(.away)
        }
        if let origin {
            response.headers[.accessControlAllowOrigin] = origin
            response.headers[.vary] = "Origin"
            response.headers[.accessControlExposeHeaders] = "Retry-After"
        }
        return response
    }

    /// Returns whether proxies and the service interpret a request in the same way.
    ///
    /// The request must have one Host, and no transfer coding except chunked.
    private static func isUnambiguous(_ request: Request) -> Bool {
        request.head.authority != nil && !request.headers.contains { $0.name.canonicalName == "host" }
            && request.headers[values: .transferEncoding].allSatisfy { $0.lowercased() == "chunked" }
    }

    private func answer(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let path = RequestPath(request.uri.path, root: front.root) else {
            throw Rejection(.resourceNotFound, "There is no such path; the path of a request is its topic.")
        }
        if request.method == .options {
            return Response(
                status: .noContent,
                headers: [
                    .accessControlAllowMethods: path.method,
                    .accessControlAllowHeaders: "Authorization, Content-Type, Last-Event-ID, traceparent",
                    .accessControlMaxAge: "600",
                ]
            )
        }
        guard request.method.rawValue == path.method else {
            var response = Self.refusal(.invalid("method", "This path accepts only \(path.method)."), status: 405)
            response.headers[.allow] = "\(path.method), OPTIONS"
            return response
        }
        switch path {
        case .request(let app, let terminal, let service, let method):
            return try await ask(request, context, app: app, terminal: terminal, name: "\(service)/\(method)")
        case .stream: return try await stream(request, context)
        case .events: return try await events(request, context)
        }
    }

    // MARK: Requests

    private func ask(
        _ request: Request,
        _ context: WebContext,
        app: AppID?,
        terminal: TerminalID?,
        name: String
    ) async throws -> Response {
        let credentials = try RequestCredentials.read(request.headers[.authorization])
        guard let body = try await Self.body(of: request) else { return Self.tooLong }
        guard body.isEmpty || Self.isJSON(request.headers[.contentType]) else {
            return Self.refusal(.invalid("Content-Type", "The body must be application/json."), status: 415)
        }
        let envelope = try RequestEnvelope(body, credentials: credentials, newID: Self.newID())
        guard envelope.payload.count <= Payload.bytesMax else { return Self.tooLong }
        let sender = try await sender(credentials, envelope.token, app: app, terminal: terminal)
        let asked = RequestFront.Asked(
            app: sender.app,
            terminal: sender.terminal,
            name: name,
            payload: envelope.payload,
            password: sender.password,
            digest: sender.digest,
            isToken: sender.isToken,
            address: context.address(of: request),
            traceparent: Self.traceparent(of: request)
        )
        switch await front.ask(asked) {
        case .answer(let bytes): return Self.response(to: bytes)
        case .refusal(let rejection):
            // When the gate refuses an invalid token, its refusal contains no reason. The reason is therefore looked up
            // in the token's session.
            guard rejection.code == .invalidToken, sender.isToken, rejection.reason == nil else { throw rejection }
            throw try await front.holder(sender.password)?.refusal ?? rejection
        }
    }

    private struct Sender {
        var app: AppID
        var terminal: TerminalID
        var password: String
        var isToken: Bool
        var digest: [UInt8]?
    }

    private func sender(
        _ credentials: RequestCredentials?,
        _ token: String?,
        app: AppID?,
        terminal: TerminalID?
    ) async throws -> Sender {
        if case .basic(let name, let secret) = credentials {
            guard let app, let terminal else {
                throw Rejection.invalid("path", "Without a token, the path must name the app and the terminal.")
            }
            guard app.text == name else {
                throw Rejection(.invalidCredentials, "The app in the header Authorization is not the app in the path.")
            }
            return Sender(app: app, terminal: terminal, password: secret, isToken: false)
        }
        guard let token, RequestCredentials.isToken(token) else {
            throw Rejection(
                .invalidToken,
                "The header Authorization is missing: Bearer with a token, or Basic with the app's id and secret.",
                field: "token"
            )
        }
        if let app, let terminal, !OAuthToken.isAccess(token) {
            return Sender(app: app, terminal: terminal, password: token, isToken: true)
        }
        let holder = try await holder(of: token)
        guard (app ?? holder.app, terminal ?? holder.terminal) == (holder.app, holder.terminal) else {
            throw Rejection(.invalidToken, "The token is not valid here.", field: "token")
        }
        return Sender(
            app: holder.app,
            terminal: holder.terminal,
            password: token,
            isToken: true,
            digest: holder.digest
        )
    }

    /// Returns the holder of a valid token.
    ///
    /// - Throws: `Rejection` if the token is unknown or is no longer valid.
    func holder(of token: String) async throws -> RequestFront.Holder {
        guard let holder = try await front.holder(token) else {
            throw Rejection(.invalidToken, "The token is not valid here.", field: "token")
        }
        if let refusal = holder.refusal { throw refusal }
        return holder
    }

    /// Returns the body of a request, or nil if the body is too long.
    ///
    /// - Throws: `Rejection` if the body can't be read completely.
    private static func body(of request: Request) async throws(Rejection) -> [UInt8]? {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > Payload.bytesMax { return nil }
        var request = request
        do {
            return Array(buffer: try await request.collectBody(upTo: Payload.bytesMax))
        } catch is NIOTooManyBytesError {
            return nil
        } catch {
            throw Rejection.invalid("body", "The body can't be read.")
        }
    }

    private static func isJSON(_ type: String?) -> Bool {
        type?.prefix { $0 != ";" }.filter { $0 != " " }.lowercased() == "application/json"
    }

    private static func newID() -> String { TraceID.make().text }

    private static func traceparent(of request: Request) -> String? {
        guard let name = HTTPFields.Element.Name("traceparent"), let text = request.headers[name],
            TraceID(traceparent: Array(text.utf8)) != nil
        else { return nil }
        return text
    }

    // MARK: Answers

    private static var tooLong: Response {
        refusal(
            .invalid("body", "The body, with id and token, has more than \(Payload.bytesMax) bytes."),
            status: 413
        )
    }

    /// Returns an HTTP response that contains a worker's answer.
    ///
    /// If the answer contains an error, the error's code determines the HTTP status. Otherwise the status is 200.
    private static func response(to bytes: [UInt8]) -> Response {
        let answer = try? JSONValue.parse(bytes[...]).objectValue
        let error = answer?["error"]?.objectValue
        guard let error, let code = error["code"]?.stringValue.flatMap(ErrorCode.init(rawValue:)) else {
            return json(bytes, status: 200)
        }
        return json(bytes, status: code.httpStatus, retryAfter: error["retryAfter"]?.intValue)
    }

    private static func refusal(_ rejection: Rejection, status: Int? = nil) -> Response {
        json(
            AnswerCodec.refusal(nil, rejection),
            status: status ?? rejection.httpStatus,
            retryAfter: rejection.retryAfter
        )
    }

    private static func json(_ bytes: [UInt8], status: Int, retryAfter: Int64? = nil) -> Response {
        var response = Response(
            status: HTTPResponse.Status(code: status),
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
        if let retryAfter { response.headers[.retryAfter] = "\(retryAfter)" }
        if status == 401 { response.headers[.wwwAuthenticate] = "Bearer realm=\"lamplighter\"" }
        return response
    }
}
