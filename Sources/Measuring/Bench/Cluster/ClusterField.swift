import Domain
import Files
import Glibc
import Load
import PostgreSQL
import Service
import Storage
import Workers

/// The environment of `lamplighter-bench cluster`, with several processes that share the work.
///
/// The processes reach the database through a proxy that delays all data. The broker loads the gate, the plugin that
/// checks permissions, as in a real installation.
final class ClusterField: RunningPart {
    /// The broker, and the benchmark's own connection to the store that the processes share.
    let field: BenchField
    private let database: BenchDatabase
    private let delayedPort: Int
    private let batch: Int
    private let folder: String
    private var processes: [BenchProcess] = []

    /// The number of users with a terminal that sends commands.
    private static let terminals = 64

    /// Sets up the environment in a folder, without processes.
    ///
    /// `delay` is the time that a round trip to the database takes, in milliseconds.
    ///
    /// - Throws: A `Problem`, `LoadError`, or the store's error.
    init(devices: Int, delay: Double, batch: Int, in folder: String) async throws {
        self.batch = batch
        self.folder = folder
        database = try await BenchDatabase.start(
            port: Ports.choose(0, hosts: ["127.0.0.1"], cure: "", purpose: "bench")
        )
        field = try await BenchField(
            devices: devices,
            terminals: Self.terminals,
            flags: ["store": database.address(), "postgres.oneWriter": "false"],
            in: folder + "/field"
        )
        delayedPort = try DelayingProxy.start(to: database.port, delay: Int64(delay * 500_000))
    }

    /// Stops the processes, the broker and the database.
    func stop() async {
        for process in processes { await process.stop() }
        await field.stop()
        await database.stop()
    }

    // MARK: Processes

    /// Starts processes until `count` are running, and waits until each has its lanes.
    ///
    /// - Throws: `LoadError`, or the store's error.
    func startProcesses(_ count: Int) async throws {
        for number in processes.count..<count {
            let data = folder + "/node\(number)"
            mkdir(data, 0o700)
            let directory = field.directory
            let settings =
                [
                    "store=\(database.address(over: delayedPort))", "processName=node\(number)",
                    "mqtt.webSocketPort=0", "console.port=0", "postgres.oneWriter=false",
                    "limits.batch=\(batch)",
                    "gateFile=\(directory.credentials)", "serverKeyFile=\(directory.serverKey)",
                    "serviceSecretFile=\(directory.serviceSecret)",
                ] + BenchField.wideLimits.map { "\($0)=\($1)" }
            processes.append(try await BenchProcess.service(data, port: field.port, settings: settings))
        }
        let stopwatch = Stopwatch()
        while try !isShared(among: count) {
            guard stopwatch.seconds < 120 else {
                throw LoadError.timeout("the lanes are not shared among \(count) processes")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func isShared(among count: Int) throws -> Bool {
        let (lanes, control) = (try holders(of: "status"), try holders(of: "control"))
        let shares = Dictionary(grouping: lanes.values) { $0 }.mapValues(\.count)
        return lanes.count == LanePlan.shared.count(of: .status) && shares.count == count
            && (shares.values.max() ?? 0) - (shares.values.min() ?? 0) <= 1
            && control.count == LanePlan.shared.count(of: .control)
    }

    /// Returns the names of the processes that hold a worker's lanes, by the lanes' numbers.
    ///
    /// Lanes that no process holds are left out.
    func holders(of worker: String) throws -> [Int: String] {
        let leases = try field.store.coordinate { try $0.leases.all() }
        return Dictionary(
            uniqueKeysWithValues: leases.compactMap { lease in
                guard lease.worker == worker, lease.isHeld, let node = lease.node else { return nil }
                return (lease.lane, node)
            }
        )
    }

    /// Returns all devices that belong to the first `count` status lanes of each process.
    func devices(ofLanes count: Int) throws -> [LoadDevice] {
        let lanes = Dictionary(grouping: try holders(of: "status")) { $0.value }.values
            .flatMap { $0.map(\.key).sorted().prefix(count) }
        return field.seed.bound.filter { lanes.contains(LanePlan.shared.lane(of: .status, for: $0.did).number) }
    }

    /// The processor time that the processes and the database have used, in seconds.
    var workSeconds: Double { processes.map(\.processorSeconds).reduce(0, +) + database.workSeconds }

    /// Returns the duration of a round trip from a process to the database, in milliseconds.
    ///
    /// - Throws: `PostgresError`.
    func roundTrip() throws -> Double {
        let connection = try database.connect(over: delayedPort)
        let times = try (0..<50).map { _ in
            let stopwatch = Stopwatch()
            try connection.execute("SELECT 1")
            return stopwatch.seconds * 1000
        }
        return times.median
    }
}
