import Glibc
import Sodium

extension BrokerPlan {
    /// Plans a broker from the settings: finds the program and the gate.
    ///
    /// - Throws: A `Problem` where one of them isn't found.
    package init(
        settings: Settings,
        directory: DataDirectory,
        port: Int,
        secret: String
    ) throws {
        program = try BrokerFiles.program(settings)
        gate = try BrokerFiles.gate(settings)
        host = settings.mqttHost
        self.port = port
        root = settings.root
        workerHash = Sodium.sha256(secret.utf8)
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        self.directory = directory
        user = Self.currentUser
        connections = settings.integer("broker.connections")
        queuedMessages = settings.integer("broker.queuedMessages")
        queuedBytes = settings.integer("broker.queuedMegabytes") << 20
        memoryBytes = settings.integer("broker.memoryMegabytes") << 20
        gateOptions = GateOption.lines(settings)
    }

    private static var currentUser: String {
        guard let entry = getpwuid(geteuid()) else { return "root" }
        return String(cString: entry.pointee.pw_name)
    }
}
