import Domain
import Storage
import Wire

/// A request being carried out, with its sender and its effects.
struct Call {
    let request: AppRequest
    /// The app, as imported.
    let app: App
    /// The session of the request's token, or of the user for whom a key asks; nil if the method needs none.
    var session: Session?
    /// The API key of the request's token; nil for a user's session.
    let key: APIKey?
    let environment: Environment
    /// The request's part of the transaction; its effects are dropped if the request is refused.
    var work: UnitOfWork
    /// The result of the requested slow work; empty if none was requested.
    var prepared = Prepared()
    /// Whether slow work was requested and is done.
    var isPrepared = false

    var tx: Transaction { work.tx }
    var topics: Topics { work.topics }
    var limits: Limits { work.limits }
    var fields: Fields { request.fields }

    /// Returns the session, which a method that needs a token always has.
    func caller() throws(Rejection) -> Session {
        guard let session else {
            throw Rejection(.invalidToken, "This method needs a session's token.", field: "token")
        }
        return session
    }

    /// Returns the user, or the server whose key it is, as the actor of the request's effects.
    func actor() throws(Rejection) -> Actor {
        if let key { return Actor(.service, key.name, terminal: key.terminal) }
        let session = try caller()
        return Actor(.user, session.uid.text, terminal: session.terminal)
    }

    /// Returns the number of rows of a page: `limit`, or the default.
    ///
    /// - Throws: `Rejection` if it is not an integer from 1 to `Limits.pageMax`.
    func pageLimit() throws(Rejection) -> Int { try fields.pageLimit(max: limits.pageMax) ?? Int(limits.pageDefault) }

    /// Returns the number of rows before the page: `offset`, or 0.
    ///
    /// - Throws: `Rejection` if it is not a non-negative integer.
    func pageOffset() throws(Rejection) -> Int64 { try fields.pageOffset() }

    /// Returns a product if the app may see it, or nil.
    func product(of key: ProductKey) throws -> Product? { try app.products.contains(key) ? work.product(key) : nil }
}

/// The rows of a list that a page shows.
struct PageRange {
    /// The number of rows before the page.
    var offset: Int64
    /// The number of rows of the page.
    var limit: Int
}

/// The outcome of a method.
enum Reply {
    /// A result; a result with a token or a secret is sealed at rest.
    case result(Answer, isSecret: Bool = false)
    /// The result of a reading method as JSON, published without the outbox.
    case encoded([UInt8])
    /// A refusal whose side effects stay, such as a counted try.
    case refusal(Rejection)
    /// The answer follows when a command's outcome is known.
    case later(DeviceID, cid: Int64)
    /// No answer yet: more slow work follows, and then `run` again with its result.
    case more(BackgroundTask)

    /// The empty result of a method that succeeded.
    static var done: Reply { .result(AnswerCodec.nothing) }
}

/// One method of app requests.
struct Method: Sendable {
    /// Whether it needs a session's token.
    var needsToken = true
    /// Whether it changes nothing, so that a repeat may be carried out again.
    var isReading = false
    /// Whether it refuses before it writes anything, so that a refusal needs no rollback.
    var refusesFirst = false
    /// The locks taken before it runs, on everything that it writes about or decides on.
    var locks = MethodLocks.none
    /// Whether the method exists; requests for an unknown method leave nothing in the store.
    var isKnown = true
    /// Checks the request and returns the slow work that must be done first; nil if there is none.
    ///
    /// It checks limits and counts tries: its changes are committed before the work begins. `run` follows in a separate
    /// transaction, after the token was checked again, and must check everything again. Expensive work, above all a
    /// hash, is better requested by `run` (`Reply.more`), once a cheap proof is known to be right.
    var prepare: (@Sendable (inout Call) throws -> BackgroundTask?)?
    /// Carries out the request.
    var run: @Sendable (inout Call) throws -> Reply
}
