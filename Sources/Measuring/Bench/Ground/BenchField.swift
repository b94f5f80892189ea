import Domain
import Files
import Glibc
import Load
import Logging
import Mosquitto
import Service
import ServiceSettings
import Sodium
import Storage
import Web
import Workers

/// A benchmark's private environment: data directory, store, and broker with the gate.
final class BenchField: RunningPart {
    let directory: DataDirectory
    let port: Int
    let seed: BenchSeed
    let root: String
    /// The store, which stays open for the whole benchmark.
    ///
    /// The last process that closes a database deletes the database's log. The file system may then discard the freed
    /// blocks immediately. In this case, the disk pauses during the next measurement.
    let store: Store
    let secrets: ServiceSecrets
    private let broker: BrokerChild

    /// Creates a folder with a data directory, fills the store and starts the broker.
    ///
    /// The settings in `flags` replace the defaults.
    ///
    /// - Throws: A `Problem`, `LoadError`, or the store's error.
    init(
        devices: Int,
        terminals: Int = 10,
        stored: Int = 0,
        logins: Int = 0,
        flags: [String: String] = [:],
        in folder: String
    ) async throws {
        guard mkdir(folder, 0o700) == 0 else { throw LoadError.system(function: "mkdir", code: errno) }
        let settings = try await SettingsReader(
            file: nil,
            environment: [:],
            flags: [
                "data": folder + "/data", "demo": "false", "broker.gate": MeasuredProgram.current.gate,
                "broker.newClientsPerMinute": "100000",
                // In each round of its loop, Mosquitto reads one packet from each connection. A thousand busy devices
                // therefore delay a subscriber's acknowledgements. The broker must not drop the messages that it queues
                // for the subscriber during this delay.
                "broker.queuedMessages": "10000000", "broker.queuedMegabytes": "4096",
                "broker.memoryMegabytes": "16384",
            ].merging(Self.wideLimits) { own, _ in own }.merging(flags) { _, given in given }
        ).read()
        root = settings.root
        directory = try DataDirectory.prepare(settings.dataDirectory)
        secrets = try ServiceSecrets(directory)
        store = try StoreAccess.service(directory, StorePlace(settings))
        let toolsSecret = secrets.tools
        try store.batch(at: SystemClock().now) { try $0.services.save("tools", role: .worker, secret: toolsSecret) }
        seed = try BenchSeed(store, devices: devices, terminals: terminals, stored: stored, logins: logins)
        port = try Ports.choose(0, hosts: LocalHosts.of(settings.mqttHost), cure: "--mqtt-port 0", purpose: "bench")
        let ports = ListenerPorts(mqtt: port)
        let plan = try BrokerPlan(settings: settings, directory: directory, ports: ports, secret: secrets.service)
        broker = BrokerChild(plan: plan, readiness: Readiness(parts: ["broker"]), logger: Logger(label: "bench"))
        try await broker.start()
    }

    /// Limits that a benchmark's connections never reach, although the gate counts their messages.
    static let wideLimits = Dictionary(
        uniqueKeysWithValues: ["terminal", "device", "product"].flatMap { who in
            ["MessagesPerSecond", "MessageBurst", "KilobytesPerSecond", "KilobyteBurst"].map {
                ("limits.\(who)\($0)", "1000000")
            }
        } + [("limits.statusBacklog", "0")]
    )

    /// Creates a viewer's token for the console's API, and returns its secret.
    func operatorToken() throws -> String {
        let now = SystemClock().now
        let secret = Sodium.randomSecret()
        let token = OperatorToken(
            id: "ot-bench",
            label: "bench",
            name: "bench",
            role: .viewer,
            createdAt: now,
            expiresAt: now.adding(seconds: 86_400)
        )
        try store.batch(at: now) { tx in
            try tx.operators.save(Operator(name: "bench", role: .viewer, createdAt: now))
            try tx.operators.add(token, secret: secret)
        }
        return secret
    }

    /// The file in which a consumer counts the reports that it has processed.
    var counterFile: String { directory.path + "/counter" }

    /// Stops the broker.
    func stop() async { await broker.stop() }

    /// Discards the workers' MQTT sessions, so that the broker queues no messages for them.
    ///
    /// - Throws: `MosquittoError`.
    func forgetWorkers() throws {
        for name in ["status", "control", "account", "reach", "session", "schedule", "scheduler"] {
            let options = ConnectionOptions(name, of: "lamplighter", port: port, password: secrets.service)
            var client = try MosquittoClient(options, waker: Waker())
            _ = try client.connect()
            client.disconnect()
        }
    }
}

extension ConnectionOptions {
    /// Creates the options of a service's connection, with an MQTT session that ends when the connection ends.
    init(_ name: String, of service: String, port: Int, password: String) {
        self.init(host: "127.0.0.1", port: port, clientID: "svc.\(service).\(name)")
        username = "service:\(service)"
        self.password = password
        cleanStart = true
        sessionExpirySeconds = 0
    }
}
