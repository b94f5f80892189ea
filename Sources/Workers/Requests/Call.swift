import Domain
import Storage
import Wire

/// A request that is being carried out, with its sender and its effects.
struct Call {
    let request: AppRequest
    /// The app of the request, as the operator has imported it.
    let app: App
    /// The session of the request's token, or of the user for whom a key acts; nil for a method without a token, and
    /// for a key that acts for its app.
    var session: Session?
    /// The API key whose secret is the request's token; nil if the token belongs to a user's session, or if the method
    /// needs no token.
    let key: APIKey?
    let environment: Environment
    /// The request's part of the transaction; the effects of this part are dropped if the method throws an error.
    var work: UnitOfWork
    /// The result of the requested slow work; empty if no slow work was requested.
    var prepared = Prepared()
    /// Whether slow work was requested and is done.
    var isPrepared = false

    var tx: Transaction { work.tx }
    var topics: Topics { work.topics }
    var limits: Limits { work.limits }
    var fields: Fields { request.fields }

    /// Returns the session; throws if there is none, because the method needs no token or a key acts for its app.
    func caller() throws(Rejection) -> Session {
        guard let session else {
            throw Rejection(.invalidToken, "This method needs a session's token.", field: "token")
        }
        return session
    }

    /// Returns the actor of the request's effects: the user, or the server to which the API key belongs.
    func actor() throws(Rejection) -> Actor {
        if let key { return Actor(.service, key.name, terminal: key.terminal) }
        let session = try caller()
        return Actor(.user, session.uid.text, terminal: session.terminal)
    }

    /// Returns the field `limit` of a page, or the default; throws unless it is an integer from 1 to `Limits.pageMax`.
    func pageLimit() throws(Rejection) -> Int { try fields.pageLimit(max: limits.pageMax) ?? Int(limits.pageDefault) }

    /// Returns the field `offset` (the number of rows before the page), or 0; throws unless it is a non-negative
    /// integer.
    func pageOffset() throws(Rejection) -> Int64 { try fields.pageOffset() }

    /// Returns a product; nil if the product is unknown or the app is not allowed to see it.
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
    /// The result of a method; if it contains a token or a secret, it is stored encrypted.
    case result(Answer, isSecret: Bool = false)
    /// The result of a method that only reads, as JSON; it is published without the outbox.
    case encoded([UInt8])
    /// A refusal after which the method's changes are kept, such as a counted attempt.
    case refusal(Rejection)
    /// No answer yet: the answer follows when the outcome of a command is known.
    case later(DeviceID, cid: Int64)
    /// No answer yet: more slow work is done first, and then `run` is called again with the result.
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
    /// True if the method writes nothing before it refuses a request, so that a refusal needs no rollback.
    var refusesFirst = false
    /// The locks on users and devices that are taken before the method runs.
    var locks = MethodLocks.none
    /// Whether the method exists; requests for unknown methods are not kept in the store.
    var isKnown = true
    /// Checks the request, and returns the slow work that must be done before `run`; nil if there is no slow work.
    ///
    /// `prepare` checks limits and counts attempts; its changes are committed before the slow work begins. `run`
    /// follows in a separate transaction, which first checks the token; `run` must repeat all other checks. Expensive
    /// work, above all a hash, should be requested by `run` (`Reply.more`), after `run` has checked the caller's proof
    /// cheaply.
    var prepare: (@Sendable (inout Call) throws -> BackgroundTask?)?
    /// The function that carries out the request.
    var run: @Sendable (inout Call) throws -> Reply
}
