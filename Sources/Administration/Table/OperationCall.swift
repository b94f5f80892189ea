import Domain
import JSON
import Storage
import Web
import Workers

/// A request for an operation, with its caller.
struct ConsoleCall: Sendable {
    let request: ConsoleRequest
    let operation: Operation
    /// The parameters in the path.
    let parameters: [String: String]
    let context: ConsoleContext
    /// The caller; without a session, one without a name and with the least role.
    let caller: Caller
    /// The members of the body.
    let body: JSONObject

    var store: Store { context.store }
    var now: Instant { context.now }
    /// The body's members, read with their types.
    var fields: Fields { Fields(body) }
    /// The actor that the operator's effects name.
    var actor: Actor { Actor(.operator, caller.name) }
    /// Whether addresses are masked.
    var isMasked: Bool { caller.role < .admin }

    /// Returns a parameter of the path.
    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    /// Returns an id in the path.
    func id<Kind: IdentifierKind>(
        _ name: String,
        _: Kind.Type = Kind.self
    ) throws -> Identifier<Kind> {
        guard let id = Identifier<Kind>(parameter(name)) else {
            throw Refused.notFound("\(Kind.name) \(Rejection.shown(parameter(name), upTo: 64))")
        }
        return id
    }

    /// Returns an integer from the query.
    func integer(
        _ name: String,
        in range: ClosedRange<Int64>,
        default standard: Int64
    ) throws -> Int64 {
        guard let text = request.query[name] else { return standard }
        guard let number = Int64(text), range.contains(number) else {
            throw Refused.invalid(
                name,
                "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return number
    }

    /// Returns the page's number of rows.
    func limit() throws -> Int { Int(try integer("limit", in: 1...200, default: 50)) }

    /// Returns the cursor as a number.
    func cursor() throws -> Int64 {
        try integer("cursor", in: 0...JSONValue.integerMax, default: JSONValue.integerMax)
    }

    /// Returns the cursor of a list in the order of its rows' ids: the last row's id, which begins
    /// with a prefix; empty without a cursor.
    func cursor<Kind: IdentifierKind>(after prefix: String, _: Kind.Type) throws -> String {
        guard let cursor = request.query["cursor"], !cursor.isEmpty else { return "" }
        guard cursor.hasPrefix(prefix), Identifier<Kind>(cursor) != nil else {
            throw Refused.invalid("cursor", "This is not a cursor.")
        }
        return cursor
    }

    /// Returns the query's search.
    func search() throws -> SearchTerms { try SearchTerms(request.query["query"] ?? "") }

    /// Runs a read on the last committed state.
    func read<Value>(_ body: (Transaction) throws -> Value) throws -> Value { try store.read(body) }

    /// Runs a transaction that changes something, and notes the act in the same transaction.
    func act<Value>(_ body: (inout UnitOfWork, inout Act) throws -> Value) throws -> Value {
        try context.environment.work(publishedBy: .session) { work in
            var act = Act()
            let value = try body(&work, &act)
            try note(act, in: work.tx)
            return value
        }
    }

    /// Notes an act whose effect lies outside the store.
    func note(_ act: Act) throws {
        try store.batch(at: now, once: true) { try note(act, in: $0) }
    }

    /// Notes an act within a transaction.
    func note(_ act: Act, in tx: Transaction) throws {
        var entry = AuditEntry(
            kind: .operatorAct,
            uid: act.uid,
            app: act.app,
            actor: actor,
            detail: operation.id
        )
        entry.subject = act.subject
        entry.before = act.before
        entry.after = act.after
        try tx.audit.add(entry)
    }

    /// Requires the typed id of the object to remove.
    func requireConfirmation(of id: String) throws {
        guard body["confirm"]?.stringValue == id else {
            throw Refused.invalid("confirm", "Type \(id) to confirm.")
        }
    }
}

/// An operator's act for the audit trail, without secrets.
struct Act {
    var subject = ""
    var uid: UserID?
    var app: AppID?
    var before: JSONValue?
    var after: JSONValue?
}
