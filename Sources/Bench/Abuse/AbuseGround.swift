import Files
import Foundation
import JSON
import Load
import Service
import ServiceSettings

/// A whole `lamplighter up` with its default limits, on a private data directory that is filled before.
final class AbuseGround {
    let directory: DataDirectory
    let seed: AbuseSeed
    let port: Int
    let root: String
    private let service: BenchProcess
    private let brokerPID: Int

    /// Fills a store and starts the service with some settings.
    ///
    /// - Throws: A `Problem`, `LoadError`, or what the store throws.
    init(
        in folder: String,
        settings: [String],
        devices: Int = 20,
        logins: Int = 60
    ) async throws {
        // A limit that isn't switched off, as its name has changed, would make a control of nothing.
        for text in settings {
            let key = String(text.prefix { $0 != "=" })
            guard SettingsTable.setting(key) != nil else {
                throw LoadError.failed("\(key) is not a setting")
            }
        }
        let values = try await SettingsReader(
            file: nil,
            environment: [:],
            flags: ["data": folder]
        ).read()
        root = values.root
        directory = try DataDirectory.prepare(values.dataDirectory)
        let store = try StoreAccess.service(directory, .file)
        seed = try AbuseSeed(store, devices: devices, logins: logins)
        service = try await BenchProcess.up(directory, settings: settings)
        let ready = TextFile.readBytes(directory.ready).flatMap { try? JSONValue.parse($0) }
        guard let port = ready?.objectValue?["mqttPort"]?.intValue,
            let pid = Self.number(in: directory.brokerPID)
        else {
            await service.stop()
            throw LoadError.failed("the service does not say where it listens")
        }
        self.port = Int(port)
        brokerPID = pid
        // Were the log opened by us first, its last closer, the service, would delete it.
        withExtendedLifetime(store) {}
    }

    /// Ends the service and its broker.
    func stop() async { await service.stop() }

    /// The service's process: for a benchmark that holds it for a while.
    func send(_ signal: Int32) { service.process.send(signal) }

    /// Returns orders for a hostile process on this ground.
    func orders(_ deed: HostileDeed, seconds: Double) -> HostileOrders {
        var orders = HostileOrders(deed, port: port, root: root, seconds: seconds)
        orders.appID = "bench"
        orders.appSecret = seed.honest.appSecret
        orders.productKey = seed.productKey
        orders.productSecret = seed.productSecret
        return orders
    }

    // MARK: What it takes

    /// The length at which the store keeps its log, however little is written.
    private static let logBytes = 36 << 20

    /// Resident memory of service and broker together, in megabytes.
    var memory: Double {
        service.memory() + BenchProcess.memory(of: brokerPID)
    }

    /// Megabytes in the data directory, the store's log taken for as long as it becomes anyway.
    var disk: Double {
        let url = URL(filePath: directory.path)
        let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
        let bytes = (files?.compactMap { $0 as? URL } ?? []).reduce(0) {
            $0 + max(TextFile.size($1.path) ?? 0, $1.path.hasSuffix("-wal") ? Self.logBytes : 0)
        }
        return Double(bytes) / Double(1 << 20)
    }

    /// Whether the service and its broker are the processes that were started.
    var stands: Bool {
        service.process.exit == nil && Self.number(in: directory.brokerPID) == brokerPID
    }

    /// How often a worker restarted, according to the log.
    var beginnings: Int {
        (TextFile.read(directory.path + "/service.log") ?? "")
            .split(separator: "\n").count { $0.contains("The worker restarts") }
    }

    private static func number(in path: String) -> Int? {
        TextFile.read(path).flatMap { Int($0.prefix { $0.isNumber }) }
    }
}
