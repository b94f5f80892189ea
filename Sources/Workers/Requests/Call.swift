import Domain
import JSON
import Storage
import Wire

/// One request being carried out: what it asks, who asks, and what follows.
struct Call {
    let request: AppRequest
    /// The app, as imported.
    let app: App
    /// The session of the request's token; only where the method needs one.
    var session: Session?
    let tx: Transaction
    let environment: Environment
    let catalog: Catalog
    var ids: IDSource
    var owed = Owed()
    /// What came of the slow work that `prepare` asked for; empty where it asked for none.
    var prepared = Prepared()
    /// Whether `prepare` has asked for something and it was done.
    var isPrepared = false

    var topics: Topics { environment.topics }
    var limits: Limits { environment.limits }
    var fields: Fields { request.fields }

    /// The session, which a method that needs a token always has.
    func caller() throws(Rejection) -> Session {
        guard let session else {
            throw Rejection(.invalidToken, "This method needs a session's token.", field: "token")
        }
        return session
    }

    /// The user as the actor of what follows.
    func actor() throws(Rejection) -> Actor {
        let session = try caller()
        return Actor(.user, session.uid.text, terminal: session.terminal)
    }

    /// How many rows a page shall have: `limit`, or the default.
    ///
    /// - Throws: `Rejection` where it is no integer from 1 to `Limits.pageMax`.
    func pageLimit() throws(Rejection) -> Int {
        Int(try fields.integer("limit", in: 1...limits.pageMax) ?? limits.pageDefault)
    }

    /// How many rows stand before the page: `offset`, or none.
    ///
    /// - Throws: `Rejection` where it is no integer from 0 on.
    func pageOffset() throws(Rejection) -> Int64 {
        guard let cursor = try fields.text("cursor", length: 1...16) else {
            return try fields.integer("offset", in: 0...JSONValue.integerMax) ?? 0
        }
        guard fields.object["offset"] == nil else {
            throw fields.refuse("offset", "stands in place of params.cursor")
        }
        guard let offset = Int64(cursor), (0...JSONValue.integerMax).contains(offset) else {
            throw fields.refuse("cursor", "is none that this method gave")
        }
        return offset
    }

    /// The product of a device where the app may see it, or nil.
    func product(of key: ProductKey) -> Product? {
        app.products.contains(key) ? catalog.product(key) : nil
    }
}

/// What a method answers.
enum Reply {
    /// A result; one that holds a token or a secret is sealed at rest.
    case result(JSONObject, isSecret: Bool = false)
    /// A refusal whose side effects stay, such as a counted try.
    case refusal(Rejection)
    /// The answer follows when a command's fate is known.
    case later(DeviceID, cid: Int64)
    /// Nothing yet: more slow work comes first, and then `run` again with what came of it.
    case more(Preparation)
}

/// One method of the contract.
struct Method: Sendable {
    /// Whether it needs a session's token.
    var needsToken = true
    /// Whether it changes nothing, so that a repeat may be answered anew.
    var isReading = false
    /// Whether it refuses before it writes anything, so that no refusal has anything to take back.
    var refusesFirst = false
    /// Whether the contract has it; one that it doesn't have leaves nothing in the store.
    var isKnown = true
    /// Looks up what it needs and says which slow work comes first; nil when there is none.
    ///
    /// Limits are checked and tries are counted here: what it changes is committed before the work
    /// begins. `run` follows in a transaction of its own, after the token was checked again, and
    /// must look at everything anew. What is dear, a hash above all, is better asked for by `run`
    /// (`Reply.more`), once a cheap proof is known to be right.
    var prepare: (@Sendable (inout Call) throws -> Preparation?)?
    /// Carries it out.
    var run: @Sendable (inout Call) throws -> Reply
}
