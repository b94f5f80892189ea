import Domain
import Glibc
import Logging
import Mosquitto
import PostgreSQL
import Sodium
import Storage
import Wire
import Workers

/// A program that runs the status worker, and kills itself with SIGKILL at a given step.
///
/// The arguments are the broker's port, the database, the step (or `none`), and a number. The number says how many
/// times the program passes the step before it kills itself. With the further argument `schedule`, the program runs the
/// scheduler, schedule worker and control worker instead. When the program is connected to the broker, it prints
/// `ready` on standard output.
@main
struct CrashProbe {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 5, let port = Int(arguments[1]), let passes = Int(arguments[4]) else { exit(64) }
        let store = try openStore(arguments[2])
        let isSchedule = arguments.count > 5 && arguments[5] == "schedule"
        try run(port, store, stopAt: arguments[3], after: passes, isSchedule: isSchedule)
    }

    private static func openStore(_ path: String) throws -> Store {
        guard let key = ServerKey([UInt8](repeating: 7, count: 32)) else { exit(65) }
        let store =
            path.hasPrefix("postgres://")
            ? try Store(database: PostgresAddress(path), password: nil, credentialsPath: nil, key: key)
            : try Store(path: path, credentialsPath: "\(path).credentials", key: key)
        try store.rebuildCredentials()
        return store
    }

    private static func run(
        _ port: Int,
        _ store: Store,
        stopAt step: String,
        after passes: Int,
        isSchedule: Bool
    ) throws {
        var limits = Limits()
        // The limit on received messages keeps each batch small. So the loop needs many turns for a few reports.
        limits.receiveMaximum = isSchedule ? 20 : 5
        limits.triggerPage = 50
        if isSchedule { limits.patience = .milliseconds(10) }
        let environment = Environment(
            store: store,
            topics: Topics(),
            limits: limits,
            wakeups: try WorkerWakeups(WorkerName.allCases),
            health: Health(ready: { _ in }, notReady: { _, _ in })
        )
        var left = passes
        if isSchedule {
            return try ScheduleProbe.run(port, environment) { here in
                guard here == step else { return }
                if left == 0 { kill(getpid(), SIGKILL) }
                left -= 1
            }
        }
        var options = ConnectionOptions(host: "127.0.0.1", port: port, clientID: WorkerName.status.clientID)
        options.receiveMaximum = limits.receiveMaximum
        var loop = WorkerLoop(
            try MosquittoConnection(options, outlets: limits.outlets, waker: Waker()),
            StatusHandler(environment),
            environment: environment,
            metrics: WorkerMetrics(Lane(.status)),
            logger: Logger(label: "probe") { _ in SwiftLogNoOpLogHandler() },
            reached: { here in
                guard here.rawValue == step else { return }
                if left == 0 { kill(getpid(), SIGKILL) }
                left -= 1
            }
        )
        try loop.open()
        print("ready")
        fflush(nil)
        while true { try loop.turn() }
    }
}
