package import Domain
package import Files
import JSON
package import Mosquitto
import Problems
package import ServiceSettings
import Sodium
package import Storage
import Wire

/// A command's connection to a running service's broker, opened with the username `service:tools`.
package struct ToolClient {
    private let directory: DataDirectory
    private let settings: Settings

    /// The maximum number of messages that a command receives at once.
    static let batchMax = 100
    /// The longest wait for a message before a command checks for other work.
    static let patience: Duration = .milliseconds(500)
    /// The longest wait for the broker's confirmation of sent messages.
    fileprivate static let settleMax: Duration = .seconds(5)
    /// The longest wait for a connection.
    private static let connectMax: Duration = .seconds(5)

    /// Prepares connections to the broker of the service that uses a data directory.
    package init(_ directory: DataDirectory, _ settings: Settings) {
        self.directory = directory
        self.settings = settings
    }

    /// The connection attempts that `doctor` makes to this service as a client without credentials.
    var probe: DoctorProbe { DoctorProbe(directory, settings) }

    /// Connects, passes the client to `body`, and blocks the thread until `body` returns.
    ///
    /// - Throws: A `Problem` if no broker answers, or the error that `body` throws.
    package func connect<Value>(
        _ body: (inout MosquittoClient) throws -> Value
    ) throws -> Value {
        let options = try options()
        do {
            return try Self.lend(options, body)
        } catch let error as MosquittoError {
            throw unreachable(because: "\(error)")
        }
    }

    /// Subscribes, and calls `show` for each message that is a JSON object, at most `count` times.
    ///
    /// - Throws: A `Problem` if the broker can't be reached.
    func follow(_ filters: [String], count: Int?, show: (_ topic: String, _ body: JSONObject) -> Void) throws {
        var left = count ?? .max
        try connect { client in
            try client.subscribe(filters)
            var intake = Intake()
            while left > 0 {
                try client.receive(into: &intake)
                for delivery in intake.deliveries where left > 0 {
                    guard let body = try? Payload.object(intake.bytes[delivery.payload]) else { continue }
                    show(String(decoding: intake.bytes[delivery.topic], as: UTF8.self), body)
                    left -= 1
                }
                try client.flush()
            }
        }
    }

    /// Checks that a service that uses the data directory is running.
    ///
    /// - Throws: A `Problem` if no service that uses the data directory is running.
    package func requireService() throws { try connect { _ in } }

    /// Asks the gate to close a removed device's connection at once.
    ///
    /// - Returns: False if the broker couldn't be reached.
    package func disconnect(_ did: DeviceID) -> Bool {
        let told: Void? = try? connect { client in
            _ = try client.publish(topic: Topics.gateControl, payload: SystemCodec.gate([.kickDevice(did)]))
            try client.settle()
        }
        return told != nil
    }

    /// Publishes a dead letter again to its original topic, and waits for the broker's confirmation.
    ///
    /// - Throws: A `Problem` if the broker can't be reached, or doesn't confirm the message.
    package func replay(_ letter: DeadLetter) throws {
        try connect { client in
            _ = try client.publish(topic: letter.topic, payload: letter.payload)
            guard try client.settle() else { throw MosquittoError(.timeout, function: "settle") }
        }
    }

    private static func lend<Value>(
        _ options: ConnectionOptions,
        _ body: (inout MosquittoClient) throws -> Value
    ) throws -> Value {
        var client = try MosquittoClient(options, waker: Waker())
        _ = try client.connect()
        let value = try body(&client)
        client.disconnect()
        return value
    }

    /// The address of the running service's broker.
    ///
    /// The port comes from this command's flags, or else from `ready.json`, or else from the settings. If the setting
    /// is 0, which means any free port, only `ready.json` contains the actual port.
    var address: (host: String, port: Int) {
        let port = ReadyFile.read(directory)?["mqttPort"]?.intValue.map { Int($0) }
        let isGiven = settings.entries.contains { entry in
            entry.setting.key == "mqtt.port" && entry.origin == .flag && settings.mqttPort != 0
        }
        return (settings.mqttHost, isGiven ? settings.mqttPort : port ?? settings.mqttPort)
    }

    /// Returns the connection options of `service:tools`, with a unique client id.
    ///
    /// - Throws: A `Problem` if the password's file can't be read.
    func options() throws -> ConnectionOptions {
        let (host, port) = address
        let clientID = "svc.tools." + Sodium.randomSecret().prefix(12)
        var options = ConnectionOptions(host: host, port: port, clientID: clientID)
        options.username = "service:tools"
        options.password = try SecretFile.read(directory.toolsSecret)
        options.cleanStart = true
        options.sessionExpirySeconds = 0
        options.connectTimeout = Self.connectMax
        options.tls = settings.mqttTLS
        return options
    }

    private func unreachable(because why: String) -> Problem {
        let address = address
        return Problem.brokerRefusesCommand(host: address.host, port: address.port, why: why, directory: directory.path)
    }
}

extension Settings {
    /// The TLS options for connections to the broker, or nil if the settings name no file with CA certificates.
    package var mqttTLS: ConnectionOptions.TLS? {
        mqttCAFile.map { ConnectionOptions.TLS(caFile: $0, certificateFile: mqttCertificateFile, keyFile: mqttKeyFile) }
    }
}

extension MosquittoClient {
    /// Sends the queued messages, and waits for the broker's confirmations for at most a few seconds.
    ///
    /// - Returns: Whether the broker has confirmed all messages.
    /// - Throws: `MosquittoError`.
    @discardableResult
    mutating func settle() throws -> Bool {
        var intake = Intake()
        let deadline = ContinuousClock.now + ToolClient.settleMax
        try flush()
        while unconfirmed > 0 && ContinuousClock.now < deadline {
            try receive(wait: .milliseconds(200), into: &intake)
            try flush()
        }
        return unconfirmed == 0
    }

    /// Receives messages for a command, after waiting at most `wait` for the first one.
    ///
    /// - Throws: `MosquittoError`.
    mutating func receive(
        wait: Duration = ToolClient.patience,
        into intake: inout Intake
    ) throws {
        try receive(upTo: ToolClient.batchMax, linger: .zero, wait: wait, into: &intake)
    }
}
