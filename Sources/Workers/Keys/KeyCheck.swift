import Domain
import Storage
import Wire

/// The check of a request's API key, and the choice of the user for whom the key acts.
enum KeyCheck {
    /// Returns the request's API key, or nil if the token isn't an API key.
    ///
    /// Throws if the key is unknown, has ended, or belongs to another terminal or app.
    static func key(of request: AppRequest, in tx: Transaction) throws -> APIKey? {
        guard let token = request.token, token.hasPrefix(APIKey.prefix) else { return nil }
        guard let key = try tx.keys.find(token: token), key.terminal == request.terminal, key.app == request.app else {
            throw Rejection(.invalidToken, "The key is not valid here.", field: "token")
        }
        if let refusal = key.refusal(at: tx.now) { throw refusal }
        return key
    }

    /// Refuses a request if it comes from the terminal of a key or of a linked service.
    ///
    /// Only requests whose methods need no token are checked here. The gate accepts a request from a linked service's
    /// terminal only with the service's access token. To recognise a linked service, it is therefore enough to check
    /// whether the request has an access token.
    static func refuseTerminal(of request: AppRequest, in tx: Transaction) throws {
        if let token = request.token, OAuthToken.isAccess(token) {
            throw Rejection(.forbidden, "A linked service can't call \(request.name).")
        }
        guard try tx.keys.owns(request.terminal) else { return }
        throw Rejection(.forbidden, "A key can't call \(request.name).")
    }

    /// Returns a session in which the key acts for the request's user, or nil if the key acts for the app.
    static func session(of request: AppRequest, by key: APIKey, in tx: Transaction) throws -> Session? {
        guard APIKey.actsForUser(request.service, request.method) else { return nil }
        guard let text = request.uid else {
            throw Rejection.invalid("uid", "A request with a key must name the user.")
        }
        guard let user = try UserID(text).flatMap({ try tx.accounts.find($0) }), user.app == key.app else {
            throw Rejection(.resourceNotFound, "The app has no such user.", field: "uid")
        }
        return Session(
            id: key.id,
            uid: user.uid,
            app: key.app,
            terminal: key.terminal,
            platform: "key",
            os: "",
            name: key.name,
            loginTime: key.createdAt,
            expiresAt: key.expiresAt ?? .max
        )
    }
}
