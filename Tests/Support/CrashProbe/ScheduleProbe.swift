import Domain
import Glibc
import Logging
import Mosquitto
import Storage
import Wire
import Workers

/// Runs the scheduler, schedule worker and control worker in one thread, in turn.
enum ScheduleProbe {
    static func run(_ port: Int, _ environment: Environment, reached: @escaping (String) -> Void) throws {
        var clock = try loop(port, environment, TriggerClock(environment), reached)
        var worker = try loop(port, environment, ScheduleWorker(environment), reached)
        var control = try loop(port, environment, ControlHandler(environment), reached)
        try control.open()
        try worker.open()
        try clock.open()
        print("ready")
        fflush(nil)
        while true {
            try clock.turn()
            try worker.turn()
            try control.turn()
        }
    }

    private static func loop<Handler: BatchHandler>(
        _ port: Int,
        _ environment: Environment,
        _ handler: Handler,
        _ reached: @escaping (String) -> Void
    ) throws -> WorkerLoop<MosquittoConnection, Handler> {
        var options = ConnectionOptions(host: "127.0.0.1", port: port, clientID: handler.role.name.clientID)
        options.receiveMaximum = environment.limits.receiveMaximum
        return WorkerLoop(
            try MosquittoConnection(options, outlets: environment.limits.outlets, waker: Waker()),
            handler,
            environment: environment,
            metrics: WorkerMetrics(Lane(handler.role.name)),
            logger: Logger(label: "probe") { _ in SwiftLogNoOpLogHandler() },
            reached: { reached($0.rawValue) }
        )
    }
}
