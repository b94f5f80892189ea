package import Domain
package import JSON
package import Storage
package import Web
package import Workers

/// A request for an operation, with its caller.
package struct OperationCall: Sendable {
    /// The request; on the command line, it contains only a query.
    package let request: ConsoleRequest
    /// The operation.
    package let operation: Operation
    /// The parameters in the path.
    package let parameters: [String: String]
    /// The store, the settings and whatever else the operation needs.
    package let context: OperationContext
    /// The caller.
    ///
    /// A console request without session and token has the caller `Caller.nobody`.
    package let caller: Caller
    /// The members of the body.
    package let body: JSONObject
    /// Whether actions are recorded in the audit trail.
    private let notesActs: Bool

    /// Creates a call.
    package init(
        _ operation: Operation,
        with parameters: [String: String],
        request: ConsoleRequest,
        body: JSONObject,
        by caller: Caller,
        in context: OperationContext,
        notesActs: Bool = true
    ) {
        self.operation = operation
        self.parameters = parameters
        self.request = request
        self.body = body
        self.caller = caller
        self.context = context
        self.notesActs = notesActs
    }

    /// Runs the operation; a `.blocking` operation blocks the calling thread.
    package func run() async throws -> Reply {
        switch operation.work {
        case .blocking(let work): try work(self)
        case .waiting(let work): try await work(self)
        }
    }

    /// The store.
    package var store: Store { context.store }
    /// The current time.
    package var now: Instant { context.now }
    /// The members of the body, which can be read with their types.
    package var fields: Fields { Fields(body) }
    /// The actor to whom the operation's changes are attributed.
    var actor: Actor { Actor(.operator, caller.name) }
    /// Whether a command, rather than the console, runs the operation.
    var isCommand: Bool { context.service == nil }
    /// Whether users' addresses are masked in the answer.
    var isMasked: Bool { caller.role < .admin || isCommand }

    /// Returns the running service.
    ///
    /// - Throws: `Refused` if a command runs the operation in its own process.
    func service() throws -> RunningService {
        guard let service = context.service else {
            throw Refused(503, .unavailable, "Only a running service can do this.")
        }
        return service
    }

    /// Returns the value of a parameter in the path.
    package func parameter(_ name: String) -> String { parameters[name] ?? "" }

    /// Returns the id in a parameter of the path.
    package func id<Kind: IdentifierKind>(_ name: String, _: Kind.Type = Kind.self) throws -> Identifier<Kind> {
        guard let id = Identifier<Kind>(parameter(name)) else {
            var refused = Refused.notFound("\(Kind.name) \(Rejection.shown(parameter(name), upTo: 64))")
            refused.missing = (name, parameter(name))
            throw refused
        }
        return id
    }

    /// Returns an integer from the query.
    func integer(_ name: String, in range: ClosedRange<Int64>, default standard: Int64) throws -> Int64 {
        guard let text = request.query[name] else { return standard }
        guard let number = Int64(text), range.contains(number) else {
            let bounds = "\(range.lowerBound) to \(range.upperBound)"
            throw Refused.invalid(name, "\(name) must be a whole number from \(bounds).")
        }
        return number
    }

    /// Returns the maximum number of rows on a page, which is larger for commands than for the console.
    func limit() throws -> Int {
        let most: Int64 = isCommand ? 10_000 : 200
        return Int(try integer("limit", in: 1...most, default: 50))
    }

    /// Returns the cursor in the query, or by default the largest possible number.
    func cursor() throws -> Int64 { try integer("cursor", in: 0...JSONValue.integerMax, default: JSONValue.integerMax) }

    /// Returns the cursor of a list that is sorted by ids.
    ///
    /// The cursor is the id of the previous page's last row, and must begin with `prefix`. The result is empty if the
    /// query contains no cursor.
    func cursor<Kind: IdentifierKind>(after prefix: String, _: Kind.Type) throws -> String {
        guard let cursor = request.query["cursor"], !cursor.isEmpty else { return "" }
        guard cursor.hasPrefix(prefix), Identifier<Kind>(cursor) != nil else {
            throw Refused.invalid("cursor", "This is not a cursor.")
        }
        return cursor
    }

    /// Returns the search in the query.
    func search() throws -> SearchTerms { try SearchTerms(request.query["query"] ?? "") }

    /// Reads from the last committed state.
    func read<Value>(_ body: (Transaction) throws -> Value) throws -> Value { try store.read(at: now, body) }

    /// Runs a transaction that changes something, and records the action in the audit trail in the same transaction.
    package func act<Value>(_ body: (inout UnitOfWork, inout Act) throws -> Value) throws -> Value {
        try context.work { work in
            var act = Act()
            let value = try body(&work, &act)
            try note(act, in: work.tx)
            return value
        }
    }

    /// Records an action in the audit trail, in a transaction of its own.
    package func note(_ act: Act) throws { try store.batch(at: now, once: true) { try note(act, in: $0) } }

    /// Records an action in the audit trail, in an existing transaction.
    func note(_ act: Act, in tx: Transaction) throws {
        guard notesActs else { return }
        var entry = AuditEntry(kind: .operatorAct, uid: act.uid, app: act.app, actor: actor, detail: operation.id)
        entry.subject = act.subject
        entry.before = act.before
        entry.after = act.after
        try tx.audit.add(entry)
    }

    /// Throws `Refused` unless the request repeats the id of the object to delete.
    func requireConfirmation(of id: String) throws {
        guard body["confirm"]?.stringValue == id else { throw Refused.invalid("confirm", "Type \(id) to confirm.") }
    }
}

/// An operator's action as the audit trail records it, without secrets.
package struct Act {
    /// The thing that the action concerns, such as `device d-0123456789abc`.
    package var subject = ""
    /// The user whom the action concerns.
    package var uid: UserID?
    /// The app that the action concerns.
    package var app: AppID?
    /// The values before the action.
    package var before: JSONValue?
    /// The values after the action.
    package var after: JSONValue?
}
