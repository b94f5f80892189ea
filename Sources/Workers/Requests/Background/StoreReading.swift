import Domain
package import Storage
import Wire

/// A method that reads much, carried out by the readers of the store instead of its worker.
package struct StoreReading: Sendable {
    /// Reads, and returns the result of the request as JSON.
    package let read: @Sendable (Store) throws -> [UInt8]

    /// Takes over a request whose token was checked.
    init(_ call: Call, _ body: @escaping @Sendable (inout Call) throws -> Answer) {
        let (request, app, session) = (call.request, call.app, call.session)
        let (environment, now) = (call.environment, call.tx.now)
        read = { store in
            try store.read(at: now) { tx in
                let work = UnitOfWork(tx, topics: environment.topics, limits: environment.limits)
                var call = Call(
                    request: request,
                    app: app,
                    session: session,
                    environment: environment,
                    work: work
                )
                return AnswerCodec.payload(try body(&call))
            }
        }
    }
}

extension Method {
    /// A method that only reads, apart from its worker where `isLong` says so: there nobody's commands wait for it.
    ///
    /// `check` decides again, when all is read, whether the caller may have it.
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
