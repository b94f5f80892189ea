import Batching
import Domain
import JSON
import Logging
import Mosquitto
import Sodium
import Storage
import StoreTestKit
import Synchronization
import TestKit
import Wire

@testable import Workers

extension World {
    typealias Loop<Handler: BatchHandler> = WorkerLoop<FakeBroker, Handler>

    func loop<Handler: BatchHandler>(
        _ handler: Handler,
        reached: @escaping (TurnStep) -> Void = { _ in }
    ) throws -> Loop<Handler> {
        var loop = WorkerLoop(
            FakeBroker(broker),
            handler,
            environment: environment,
            metrics: WorkerMetrics(Lane(handler.role.name)),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            reached: reached
        )
        try loop.open()
        return loop
    }

    /// Runs a worker until nothing is left, with a new loop after each failure.
    ///
    /// - Returns: The number of loops that were started.
    @discardableResult
    func run<Handler: BatchHandler>(_ make: (Environment) -> Handler, lives: Int = 20) throws -> Int {
        for life in 1...lives {
            do {
                var loop = try loop(make(environment))
                try settle(&loop)
                return life
            } catch let error where error is MosquittoError || error is CancellationError {
                // The error simulates the end of the connection or process. A new loop then continues the work.
            }
        }
        throw Endless()
    }

    struct Endless: Error {}

    /// Runs the loop until it has had nothing to do in two consecutive turns.
    func settle<Handler: BatchHandler>(_ loop: inout Loop<Handler>, turns: Int = 2000) throws {
        var idle = 0
        for _ in 0..<turns {
            let (received, published) = try loop.turn()
            idle = received == 0 && published == 0 && broker.isIdle ? idle + 1 : 0
            if idle == 2 { return }
        }
        throw Endless()
    }

    func runStatus() throws { try run { StatusHandler($0) } }
    func runControl() throws { try run { ControlHandler($0) } }
    func runAccount() throws { try run { RequestHandler.account($0) } }
    func runSession() throws { try run { SessionHandler($0) } }
}
