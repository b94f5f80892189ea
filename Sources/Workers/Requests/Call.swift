import Domain
import Storage
import Wire

/// A request that is being carried out, with its sender and its effects.
struct Call {
    let request: AppRequest
    /// The app of the request, as the operator has imported it.
    let app: App
    /// The session of the token, or of the user for whom a key acts.
    ///
    /// Without a token, or if a key acts for its app, there is no session.
    var session: Session?
    /// The API key whose secret is the request's token, or nil for other requests.
    let key: APIKey?
    let environment: Environment
    /// The request's part of the transaction, with effects that are dropped if the method throws.
    var work: UnitOfWork
    /// The result of the slow work, or an empty result if no slow work was requested.
    var prepared = Prepared()
    /// Whether slow work was requested and is done.
    var isPrepared = false

    var tx: Transaction { work.tx }
    var topics: Topics { work.topics }
    var limits: Limits { work.limits }
    var fields: Fields { request.fields }

    /// Returns the session, or throws if the request has no session.
    func caller() throws(Rejection) -> Session {
        guard let session else {
            throw Rejection(.invalidToken, "This method needs a session's token.", field: "token")
        }
        return session
    }

    /// Returns who causes the request's effects: the user, or the server that uses the API key.
    func actor() throws(Rejection) -> Actor {
        if let key { return Actor(.service, key.name, terminal: key.terminal) }
        let session = try caller()
        return Actor(.user, session.uid.text, terminal: session.terminal)
    }

    /// Returns the field `limit` or the default, or throws if it isn't an integer from 1 to `Limits.pageMax`.
    func pageLimit() throws(Rejection) -> Int { try fields.pageLimit(max: limits.pageMax) ?? Int(limits.pageDefault) }

    /// Returns the number of rows before the page, from the field `cursor` or `offset`, or 0 if both are absent.
    ///
    /// - Throws: `Rejection` if a field is invalid, or if the request has both fields.
    func pageOffset() throws(Rejection) -> Int64 { try fields.pageOffset() }

    /// Returns a product, or nil if it is unknown or hidden from the app.
    func product(of key: ProductKey) throws -> Product? { try app.products.contains(key) ? work.product(key) : nil }
}

/// The range of rows that one page of a list shows.
struct PageRange {
    /// The number of rows before the page.
    var offset: Int64
    /// The number of rows on the page.
    var limit: Int
}

/// The outcome of a method.
enum Reply {
    /// The result of a method, stored encrypted if it contains a secret.
    case result(Answer, isSecret: Bool = false)
    /// The JSON result of a method that only reads, published without the outbox.
    case encoded([UInt8])
    /// A refusal after which the method's changes are kept, such as a counted attempt.
    case refusal(Rejection)
    /// No answer yet: the answer follows when the outcome of a command is known.
    case later(DeviceID, cid: Int64)
    /// No answer yet: `run` is called again after more slow work.
    case more(BackgroundTask)

    /// The empty result of a method that succeeded.
    static var done: Reply { .result(AnswerCodec.nothing) }
}

/// One method of app requests.
struct Method: Sendable {
    /// Whether the method needs the token of a session or a key.
    var needsToken = true
    /// True if the method changes nothing, so that a repeated request may be carried out again.
    var isReading = false
    /// Whether the method refuses only before it writes, so that refusals need no rollback.
    var refusesFirst = false
    /// The locks on users and devices that are taken before the method runs.
    var locks = MethodLocks.none
    /// False for an unknown method, whose requests the store doesn't keep.
    var isKnown = true
    /// Checks the request, and returns the slow work needed before `run`, or nil if no slow work is needed.
    ///
    /// `prepare` checks limits and counts attempts. Its changes are committed before the slow work begins. `run`
    /// follows in a separate transaction, which first checks the token. `run` must repeat all other checks. If
    /// expensive work such as a hash is needed, `run` should first make the cheap check of the caller's proof, and only
    /// then request the expensive work (`Reply.more`).
    var prepare: (@Sendable (inout Call) throws -> BackgroundTask?)?
    /// The function that carries out the request.
    var run: @Sendable (inout Call) throws -> Reply
}
