import Administration
import Domain
import Storage
import Web

/// The authentication and authorization of the callers of requests.
struct Access: Sendable {
    let store: Store
    let isSecure: Bool

    /// The name of the cookie that contains a session's token.
    ///
    /// With TLS, browsers send the cookie only to this host, and never over an unencrypted connection.
    var cookieName: String { isSecure ? "__Host-lamplighter" : "lamplighter" }

    /// Returns a cookie with a session's token or, if the token is nil, a cookie that removes the browser's cookie.
    func cookie(_ token: String?) -> (name: String, value: String) {
        setCookie(cookieName, token ?? "", seconds: token == nil ? 0 : OperatorSignIn.lifeSeconds)
    }

    /// Returns whether a request contains a token or a session's cookie.
    func hasProof(_ request: ConsoleRequest) -> Bool {
        request.header("authorization") != nil || request.cookie(cookieName)?.isEmpty == false
    }

    /// The name of the cookie that marks a browser in which an operator has signed in before.
    private var browserCookieName: String { cookieName + "-browser" }

    /// Returns the cookie with the mark of a known browser.
    func browserCookie(_ mark: String) -> (name: String, value: String) {
        setCookie(browserCookieName, mark, seconds: KnownBrowser.lifeSeconds)
    }

    /// Returns a known browser's mark from its cookie, or nil for a new browser.
    func browserMark(_ request: ConsoleRequest) -> String? { request.cookie(browserCookieName) }

    private func setCookie(_ name: String, _ value: String, seconds: Int64) -> (String, String) {
        let rest = "; Path=/; HttpOnly; SameSite=Strict; Max-Age=\(seconds)"
        return ("Set-Cookie", "\(name)=\(value)\(rest)\(isSecure ? "; Secure" : "")")
    }

    /// Returns the caller of a request, or nil if the request has no valid session or token.
    ///
    /// A token in the header takes precedence over a cookie. If the token is wrong, the cookie isn't used.
    func caller(_ request: ConsoleRequest, at now: Instant) throws -> Caller? {
        if let header = request.header("authorization") {
            let parts = header.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
            return try caller(token: String(parts[1]), at: now)
        }
        guard let cookie = request.cookie(cookieName), !cookie.isEmpty, cookie.utf8.count <= 64 else { return nil }
        return try caller(cookie: cookie, at: now)
    }

    private func caller(token secret: String, at now: Instant) throws -> Caller? {
        guard secret.utf8.count <= 64 else { return nil }
        let found = try store.read { tx -> (OperatorToken, Operator)? in
            guard let token = try tx.operators.token(secret: secret), now < token.expiresAt,
                let row = try tx.operators.find(token.name)
            else { return nil }
            return (token, row)
        }
        guard let (token, row) = found else { return nil }
        if (token.usedAt ?? token.createdAt).adding(seconds: OperatorSignIn.usedSeconds) <= now || token.usedAt == nil {
            try store.batch(at: now) { try $0.operators.noteUse(ofToken: token.id) }
        }
        return Caller(row, role: min(token.role, row.role), way: .token(token))
    }

    private func caller(cookie: String, at now: Instant) throws -> Caller? {
        let found = try store.read { tx -> (OperatorSession, Operator)? in
            guard let session = try tx.operators.session(token: cookie), session.isLive(at: now),
                let row = try tx.operators.find(session.name)
            else { return nil }
            return (session, row)
        }
        guard let (found, row) = found else { return nil }
        var session = found
        if session.seenAt.adding(seconds: OperatorSignIn.usedSeconds) <= now {
            try store.batch(at: now) { try $0.operators.noteUse(ofSession: session.id) }
            session.seenAt = now
        }
        return Caller(row, role: row.role, way: .session(session))
    }

    /// The reason why a caller's session or token is no longer valid.
    enum End: String, Sendable {
        case revoked, expired
    }

    /// Returns why a caller's session or token is no longer valid, or nil while it is valid.
    ///
    /// Open streams call this method regularly, and end when the method returns a reason.
    func end(of caller: Caller, at now: Instant) throws -> End? {
        try store.read { tx in
            guard let row = try tx.operators.find(caller.name) else { return .revoked }
            switch caller.way {
            case .session(let session):
                guard let found = try tx.operators.session(session.id), row.role == caller.role else { return .revoked }
                return found.isLive(at: now) ? nil : .expired
            case .token(let token):
                guard let found = try tx.operators.token(token.id), min(found.role, row.role) == caller.role else {
                    return .revoked
                }
                return now < found.expiresAt ? nil : .expired
            case nil: return .revoked
            }
        }
    }

    /// Refuses a request if it changes something and could have been sent by a foreign page.
    ///
    /// A request that changes something must contain JSON. With a token, the body can also be empty. If the request has
    /// no token in its header, it must have the console's own header `X-Lamplighter`. Its header `Sec-Fetch-Site` must
    /// then be `same-origin`; the browser adds this header.
    static func requireOwnPage(_ request: ConsoleRequest, hasToken: Bool) throws {
        guard request.method != "GET" else { return }
        let type = request.header("content-type")?.lowercased() ?? ""
        let media = type.prefix { $0 != ";" && $0 != " " }
        guard media == "application/json" || (request.body.isEmpty && type.isEmpty) else {
            throw Refused(415, "InvalidRequest", "Send JSON, with Content-Type: application/json.")
        }
        guard !hasToken else { return }
        guard request.header("x-lamplighter") == "console", request.header("sec-fetch-site") == "same-origin",
            media == "application/json"
        else {
            let detail = "With a cookie, only the console's own pages can make changes; scripts use a token."
            throw Refused(403, "Forbidden", detail)
        }
    }
}

extension Caller {
    /// Makes the caller for an operator who uses a session or a token.
    init(_ row: Operator, role: OperatorRole, way: Way) {
        self.init(name: row.name, role: role, hasPassword: row.passwordHash != nil, way: way)
    }
}
