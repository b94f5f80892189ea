import Domain
package import Storage
import Wire

/// A long read for a request, done by the reading pool, not the worker.
package struct StoreReading: Sendable {
    /// The function that reads the store, and sets the result of the request as JSON.
    package let read: @Sendable (Store, inout Prepared) throws -> Void

    /// Creates a reading from a function.
    init(_ read: @escaping @Sendable (Store, inout Prepared) throws -> Void) { self.read = read }

    /// Creates the reading for a request whose token has been checked.
    init(_ call: Call, _ body: @escaping @Sendable (inout Call) throws -> Answer) {
        let (request, app, session, key) = (call.request, call.app, call.session, call.key)
        let (environment, now) = (call.environment, call.tx.now)
        read = { store, prepared in
            prepared.result = try store.read(at: now) { tx in
                let work = UnitOfWork(tx, topics: environment.topics, limits: environment.limits)
                var call = Call(
                    request: request,
                    app: app,
                    session: session,
                    key: key,
                    environment: environment,
                    work: work
                )
                return AnswerCodec.payload(try body(&call))
            }
        }
    }
}

extension Method {
    /// Returns a method that only reads, and that reads outside its worker if `isLong` returns true.
    ///
    /// After a read outside the worker, `check` decides whether the caller may still get the result.
    static func reading(
        isLong: @escaping @Sendable (Call) throws -> Bool = { _ in true },
        check: @escaping @Sendable (Call) throws -> Void = { _ in },
        _ body: @escaping @Sendable (inout Call) throws -> Answer
    ) -> Method {
        Method(
            isReading: true,
            prepare: { try isLong($0) ? .reading(StoreReading($0, body)) : nil },
            run: { call in
                guard call.isPrepared else { return .result(try body(&call)) }
                try check(call)
                return .encoded(call.prepared.result)
            }
        )
    }
}
