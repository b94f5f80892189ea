import Domain
import Hummingbird
import JSON

extension OAuthRoutes {
    /// Shows the authorization page, or processes its form.
    ///
    /// The cookie and the form share a random value. Other pages don't know this value, so they can't send the form.
    /// The value is also the id of the terminal on which the user logs in.
    func authorize(_ request: Request, _ context: WebContext, form: [String: String]?) async -> Response {
        let language = request.headers[.acceptLanguage].flatMap { Language.pick(acceptLanguage: $0) } ?? .english
        let query = request.uri.query ?? ""
        let parameters = OAuthParameters(FormFields.pairs(query))
        guard visits.admit(context.visitor(of: request)) else { return end("busy", language, status: .tooManyRequests) }
        do {
            guard let known = try await server.known(parameters["client_id"] ?? "") else {
                throw AuthorizationRequest.Fault.stranger
            }
            let cookie = nonce(of: request)
            var page = OAuthPage(
                known: known,
                request: try AuthorizationRequest(parameters, of: known.client),
                language: language,
                basePath: pages.basePath,
                query: query,
                nonce: cookie ?? TraceID.make().text,
                form: form ?? [:]
            )
            if let cookie, form?["form"] == cookie {
                page.codeToken = form?["codeToken"]
                if form?["step"] == "cancel" { throw page.end(OAuthError("access_denied", "The user has refused.")) }
                do {
                    let result = try await ask(for: page, from: context.address(of: request))
                    if let session = result["sessionId"]?.stringValue {
                        let code = try await server.link(SessionID(trusted: session), to: page.request)
                        guard let code else { throw page.end(.away) }
                        return sendBack(page.request.redirect, page.request.state, with: [("code", code)])
                    }
                    page.codeToken = result["codeToken"]?.stringValue
                } catch let rejection as Rejection {
                    page.fault = try Self.fault(rejection, page)
                }
            } else if form != nil {
                page.fault = "expired"
            }
            return show(page)
        } catch AuthorizationRequest.Fault.error(let error, let redirect, let state) {
            return sendBack(redirect, state, with: [("error", error.code), ("error_description", error.text)])
        } catch AuthorizationRequest.Fault.stranger {
            return end("stranger", language, status: .badRequest)
        } catch {
            return end("busy", language, status: .serviceUnavailable)
        }
    }

    /// Returns the name of the error text for a refused login or code.
    private static func fault(_ rejection: Rejection, _ page: OAuthPage) throws -> String {
        switch rejection.code {
        case .unavailable: throw page.end(.away)
        case .internal: throw page.end(OAuthError("server_error", "The service failed on this request."))
        case .invalidCredentials: "wrongPassword"
        case .invalidCode: "wrongCode"
        case .tooManyRequests: "tooMany"
        case .resourceNotFound: "noAccount"
        case .invalidRequest: "badName"
        default: "refused"
        }
    }

    /// Logs the user in with the entered password or code, or sends a code.
    ///
    /// The service gets the same request that an app would send from the user's IP address. The same limits therefore
    /// apply.
    private func ask(for page: OAuthPage, from address: String) async throws -> JSONObject {
        guard !page.known.appSecret.isEmpty else { throw Rejection(.internal, "The app has no secret.") }
        let entered = page.form.filter { !$0.value.isEmpty }.mapValues { JSONValue.string($0) }
        let isEmail = page.form["account"]?.contains("@") ?? false
        let isLogin = page.form["step"] != "code"
        var parameters: JSONObject = ["countryCode": entered["country"], "purpose": isLogin ? nil : "login"]
        parameters[isLogin ? "account" : isEmail ? "email" : "phone"] = entered["account"]
        if isLogin {
            for name in ["password", "code", "codeToken"] { parameters[name] = entered[name] }
            (parameters["platform"], parameters["name"]) = ("oauth", .string(page.known.client.name))
        }
        let outcome = await front.ask(
            RequestFront.Asked(
                app: page.known.app.id,
                terminal: TerminalID(trusted: page.nonce),
                name: isLogin ? "account/login" : "account/sendCode",
                payload: JSONObject([("id", .string(TraceID.make().text)), ("params", .object(parameters))]).encoded(),
                password: "",
                digest: page.known.appSecret,
                isToken: false,
                address: address,
                traceparent: nil
            )
        )
        guard case .answer(let bytes) = outcome, let answer = try JSONValue.parse(bytes[...]).objectValue else {
            if case .refusal(let rejection) = outcome { throw rejection }
            throw Rejection.outcomeUnknown
        }
        if let result = answer["result"]?.objectValue { return result }
        let code = answer["error"]?.objectValue?["code"]?.stringValue.flatMap(ErrorCode.init(rawValue:))
        throw Rejection(code ?? .internal, "")
    }

    // MARK: Answers

    /// The cookie's name; if users reach the pages over HTTPS, its prefix limits the cookie to this host.
    private var cookie: String { (pages.isSecure ? "__Host-" : "") + "lamplighter-oauth" }

    private func nonce(of request: Request) -> String? {
        let pairs = (request.headers[.cookie] ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        let value = pairs.first { $0.hasPrefix("\(cookie)=") }?.dropFirst(cookie.count + 1)
        return value.flatMap { TerminalID(String($0)) }?.text
    }

    private func setCookie(_ value: String, seconds: Int) -> String {
        "\(cookie)=\(value); Path=/; HttpOnly; SameSite=Lax; Max-Age=\(seconds)\(pages.isSecure ? "; Secure" : "")"
    }

    private func show(_ page: OAuthPage) -> Response {
        var response = Self.html(page.html, page.language, status: page.fault == nil ? .ok : .unprocessableContent)
        response.headers[.setCookie] = setCookie(page.nonce, seconds: 3_600)
        return response
    }

    /// Returns a page that only says that nothing was linked.
    private func end(_ name: String, _ language: Language, status: HTTPResponse.Status) -> Response {
        let words = PageWords.of(language)
        let (title, text) = (words.oauth["\(name)Title"] ?? words[.busyTitle], words.oauth[name] ?? "")
        let content = "<h1>\(HTML.escape(title))</h1>\n<p>\(HTML.escape(text))</p>\n"
        let html = HTML.page(language: words[.tag], title: title, basePath: pages.basePath, content)
        return Self.html(html, language, status: status)
    }

    private static func html(_ html: String, _ language: Language, status: HTTPResponse.Status) -> Response {
        var response = PlainAnswer.page(status, html)
        response.headers[.contentLanguage] = language.rawValue
        return response
    }

    /// Sends the user back to the client, and deletes the cookie.
    ///
    /// The next login gets a new cookie. Its value is the id of a new terminal.
    private func sendBack(_ redirect: String, _ state: String?, with members: [(String, String)]) -> Response {
        let url = AuthorizationRequest.answer(to: redirect, state: state, issuer: server.issuer, members: members)
        return Response(status: .seeOther, headers: [.location: url, .setCookie: setCookie("", seconds: 0)])
    }
}

extension OAuthPage {
    /// Returns the fault that sends the user back to the client with an error.
    fileprivate func end(_ error: OAuthError) -> AuthorizationRequest.Fault {
        .error(error, redirect: request.redirect, state: request.state)
    }
}
