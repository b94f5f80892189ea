import Domain
import Files
import Foundation
import Load
import Logging
import PostgreSQL
import Service
import ServiceSettings
import Storage
import Web
import Workers

/// The environment of `lamplighter-bench cluster`: a database behind a delay, a broker with the
/// gate, and processes that share the work.
final class ClusterField {
    let seed: BenchSeed
    let root: String
    let port: Int
    let database: BenchDatabase
    let store: Store
    private let directory: DataDirectory
    private let broker: BrokerChild
    private let folder: String
    private let options: BenchClusterOptions
    private let delayedPort: Int
    /// The running processes.
    private(set) var processes: [BenchProcess] = []

    /// Sets up the environment in a folder, without processes.
    ///
    /// - Throws: A `Problem`, `LoadError`, or the store's error.
    init(_ options: BenchClusterOptions, in folder: String) async throws {
        self.options = options
        self.folder = folder
        database = try await BenchDatabase.start(port: Self.freePort())
        let settings = try await SettingsReader(
            file: nil,
            environment: [:],
            flags: [
                "data": folder + "/data", "store": database.address(),
                "broker.gate": MeasuredProgram.current.gate,
                "postgres.oneWriter": "false",
                "demo": "false", "broker.newClientsPerMinute": "100000",
                "broker.queuedMessages": "10000000", "broker.queuedMegabytes": "4096",
                "broker.memoryMegabytes": "16384",
            ].merging(BenchField.wideLimits) { own, _ in own }
        ).read()
        root = settings.root
        directory = try DataDirectory.prepare(settings.dataDirectory)
        let secrets = try ServiceSecrets(directory)
        store = try StoreAccess.service(directory, StorePlace(settings))
        try store.batch(at: SystemClock().now) {
            try $0.services.save("tools", role: .worker, secret: secrets.tools)
        }
        seed = try BenchSeed(
            store,
            devices: options.devices,
            terminals: options.terminals,
            stored: 0
        )
        delayedPort = try DelayingProxy.start(
            to: database.port,
            delay: Int64(options.delayMilliseconds * 500_000)
        )
        port = try Self.freePort()
        broker = BrokerChild(
            plan: try BrokerPlan(
                settings: settings,
                directory: directory,
                ports: ListenerPorts(mqtt: port),
                secret: secrets.service
            ),
            readiness: Readiness(parts: ["broker"]),
            logger: Logger(label: "bench")
        )
        try await broker.start()
    }

    private static func freePort() throws -> Int {
        try Ports.choose(0, hosts: ["127.0.0.1"], cure: "", purpose: "bench")
    }

    /// Stops all parts.
    func stop() async {
        await stopProcesses()
        await broker.stop()
        await database.stop()
    }

    // MARK: Processes

    /// Starts processes up to a number, and waits until each has its share of the lanes.
    ///
    /// - Throws: `LoadError`, or the store's error.
    func startProcesses(_ count: Int) async throws {
        for number in processes.count..<count {
            let data = folder + "/node\(number)"
            try? FileManager.default.createDirectory(
                atPath: data,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            try? FileManager.default.removeItem(atPath: data + "/ready.json")
            let settings =
                [
                    "store=\(database.address(over: delayedPort))", "processName=node\(number)",
                    "mqtt.webSocketPort=0", "console.port=0", "postgres.oneWriter=false",
                    "limits.batch=\(options.batch)",
                    "gateFile=\(directory.credentials)", "serverKeyFile=\(directory.serverKey)",
                    "serviceSecretFile=\(directory.serviceSecret)",
                ] + BenchField.wideLimits.map { "\($0)=\($1)" }
            processes.append(
                try await BenchProcess.sharer(data, port: port, settings: settings)
            )
        }
        let begin = LoadClock.nanoseconds
        while try !isShared(among: count) {
            guard LoadClock.nanoseconds - begin < 120_000_000_000 else {
                throw LoadError.timeout("the lanes are not shared among \(count) processes")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Stops all processes.
    func stopProcesses() async {
        for process in processes { await process.stop() }
        processes = []
    }

    private func isShared(among count: Int) throws -> Bool {
        let (lanes, control) = (try holders(of: "status"), try holders(of: "control"))
        let shares = Dictionary(grouping: lanes.values) { $0 }.mapValues(\.count)
        return lanes.count == LanePlan.shared.count(of: .status) && shares.count == count
            && (shares.values.max() ?? 0) - (shares.values.min() ?? 0) <= 1
            && control.count == LanePlan.shared.count(of: .control)
    }

    /// Returns the process that holds each lane of a worker.
    ///
    /// - Throws: The store's error.
    func holders(of worker: String) throws -> [Int: String] {
        let leases = try store.coordinate { try $0.leases.all() }
        return Dictionary(
            uniqueKeysWithValues: leases.compactMap { lease in
                guard lease.worker == worker, lease.isHeld, let node = lease.node else {
                    return nil
                }
                return (lease.lane, node)
            }
        )
    }

    /// Returns the devices of a number of status lanes of each process.
    ///
    /// - Throws: The store's error.
    func devices(ofLanes count: Int) throws -> [LoadDevice] {
        let lanes = Dictionary(grouping: try holders(of: "status")) { $0.value }.values
            .flatMap { $0.map(\.key).sorted().prefix(count) }
        return seed.bound.filter {
            lanes.contains(LanePlan.shared.lane(of: .status, for: $0.did).number)
        }
    }

    /// The processor time that the processes and the database have used, in seconds.
    var workSeconds: Double {
        processes.map { ProcessorTime.seconds(of: Int($0.process.pid)) }.reduce(0, +)
            + database.workSeconds
    }

    /// Returns the time of the processes' round trip to the database, in milliseconds.
    ///
    /// - Throws: `PostgresError`.
    func roundTrip() throws -> Double {
        let connection = try database.connect(over: delayedPort)
        let times = try (0..<50).map { _ in
            let begin = LoadClock.nanoseconds
            try connection.execute("SELECT 1")
            return Double(LoadClock.nanoseconds - begin) / 1e6
        }
        return BenchGoal.median(times)
    }
}
