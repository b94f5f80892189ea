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

/// The private ground of a benchmark: a temporary data directory, a filled store, a broker with the gate.
final class BenchField {
    let directory: DataDirectory
    let port: Int
    let seed: BenchSeed
    let root: String
    /// Kept open: the last that closes a database deletes its log, and a file system that discards the blocks
    /// at once has the disk pause for that while the next part is measured.
    private let store: Store
    private let secrets: ServiceSecrets
    private let broker: BrokerChild

    /// Makes the directory, fills the store and starts the broker, with settings of its own in `flags`.
    ///
    /// - Throws: A `Problem`, or what the store throws.
    init(
        devices: Int,
        terminals: Int,
        stored: Int,
        logins: Int,
        flags: [String: String],
        in folder: String
    ) async throws {
        let settings = try await SettingsReader(
            file: nil,
            environment: [:],
            flags: [
                "data": folder + "/data", "demo": "false",
                "broker.gate": MeasuredProgram.current.gate, "broker.newClientsPerMinute": "100000",
                // Mosquitto reads one packet of each connection in a round, so a thousand busy devices
                // leave a subscriber's acknowledgements behind; what waits for them must not be dropped.
                "broker.queuedMessages": "10000000", "broker.queuedMegabytes": "4096",
                "broker.memoryMegabytes": "16384",
            ].merging(Self.wideLimits) { own, _ in own }.merging(flags) { _, given in given }
        ).read()
        root = settings.root
        directory = try DataDirectory.prepare(settings.dataDirectory)
        secrets = try ServiceSecrets(directory)
        store = try StoreAccess.service(directory, .file)
        let toolsSecret = secrets.tools
        try store.batch(at: Instant(milliseconds: LoadClock.milliseconds)) {
            try $0.services.save("tools", role: .worker, secret: toolsSecret)
        }
        seed = try BenchSeed(
            store,
            devices: devices,
            terminals: terminals,
            stored: stored,
            logins: logins
        )
        port = try Ports.choose(
            0,
            hosts: LocalHosts.of(settings.mqttHost),
            cure: "--mqtt-port 0",
            purpose: "bench"
        )
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

    /// Limits of connections that are counted and never met: a bench's few connections stand for many.
    static let wideLimits = Dictionary(
        uniqueKeysWithValues: ["terminal", "device", "product"].flatMap { who in
            ["MessagesPerSecond", "MessageBurst", "KilobytesPerSecond", "KilobyteBurst"].map {
                ("limits.\(who)\($0)", "1000000")
            }
        } + [("limits.statusBacklog", "0")]
    )

    /// Lets a benchmark have a field in a new folder, and ends its broker afterwards.
    ///
    /// - Throws: A `Problem`, `LoadError`, or what the store throws.
    static func with(
        devices: Int,
        terminals: Int,
        stored: Int = 0,
        logins: Int = 0,
        flags: [String: String] = [:],
        in folder: String,
        _ body: (BenchField) async throws -> Void
    ) async throws {
        guard mkdir(folder, 0o700) == 0 else {
            throw LoadError.system(function: "mkdir", code: errno)
        }
        let field = try await BenchField(
            devices: devices,
            terminals: terminals,
            stored: stored,
            logins: logins,
            flags: flags,
            in: folder
        )
        do {
            try await body(field)
        } catch {
            await field.stop()
            throw error
        }
        await field.stop()
    }

    /// Makes a token with which the console's interface lets an operator in who may look at everything.
    ///
    /// - Throws: What the store throws.
    func operatorToken() throws -> String {
        let now = Instant(milliseconds: LoadClock.milliseconds)
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

    /// Ends the broker.
    func stop() async { await broker.stop() }

    /// Removes what the workers' sessions hold, so that the broker queues nothing for them.
    ///
    /// - Throws: `MosquittoError`.
    func forgetWorkers() throws {
        for name in ["status", "control", "account", "session", "schedule", "scheduler"] {
            var options = ConnectionOptions(
                host: "127.0.0.1",
                port: port,
                clientID: "svc.lamplighter." + name
            )
            options.username = "service:lamplighter"
            options.password = secrets.service
            options.cleanStart = true
            options.sessionExpirySeconds = 0
            var client = try MosquittoClient(options, waker: Waker())
            _ = try client.connect()
            client.disconnect()
        }
    }
}
