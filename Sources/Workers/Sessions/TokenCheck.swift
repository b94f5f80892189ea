import Domain
import Storage
import Wire

/// The check of a request's token, which finds the sender's valid session.
enum TokenCheck {
    /// Returns a request's session and API key, each of which can be nil.
    ///
    /// A user's request has a session and no key. A request with a key has a session only if the key acts for a user. A
    /// key or a linked service must have the method's scope. If the method needs no token, both results are nil. The
    /// terminal of a key or of a linked service can't call a method that needs no token.
    static func caller(of request: AppRequest, of method: Method, in tx: Transaction) throws -> (Session?, APIKey?) {
        guard method.needsToken else {
            if method.isKnown { try KeyCheck.refuseTerminal(of: request, in: tx) }
            return (nil, nil)
        }
        let key = try KeyCheck.key(of: request, in: tx)
        let session = key == nil ? try session(of: request, in: tx) : nil
        let refusal = (key?.scopes ?? session?.scopes)?.refusal(
            of: request.service,
            request.method,
            isReading: method.isReading,
            holder: key == nil ? "linked service" : "key"
        )
        if let refusal { throw refusal }
        guard let key else { return (session, nil) }
        try tx.keys.use(request.token ?? "", of: key)
        return (try KeyCheck.session(of: request, by: key, in: tx), key)
    }

    /// Returns the token's valid session, which must match the request's terminal, app and user.
    static func session(of request: AppRequest, in tx: Transaction) throws -> Session {
        let session = try live(of: request, in: tx)
        try tx.sessions.use(request.token ?? "", of: session)
        return session
    }

    /// Records that a valid token was used, although the method needs no token.
    static func noteUse(of request: AppRequest, in tx: Transaction) throws {
        guard request.token != nil else { return }
        do { _ = try session(of: request, in: tx) } catch is Rejection {}
    }

    /// Returns the session as `session` does, without recording the token's use.
    static func live(of request: AppRequest, in tx: Transaction) throws -> Session {
        guard let token = request.token, !token.isEmpty else {
            throw Rejection(.invalidToken, "This method needs a session's token.", field: "token")
        }
        guard let session = try tx.sessions.find(token: token), session.terminal == request.terminal,
            session.app == request.app
        else { throw Rejection(.invalidToken, "The token is not valid here.", field: "token") }
        if let refusal = session.refusal(at: tx.now) { throw refusal }
        if let uid = request.uid, uid != session.uid.text {
            throw Rejection(.invalidToken, "The token belongs to another user.", field: "uid")
        }
        return session
    }
}
