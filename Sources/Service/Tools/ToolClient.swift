package import JSON
package import Mosquitto
import Sodium
import Wire

/// A command's own connection to the broker of a running service, as `service:tools`.
package enum ToolClient {
    /// Connects and lends the client; the caller's thread is blocked for as long.
    ///
    /// - Throws: A `Problem` where no broker answers, or what the closure throws.
    package static func connect<Value>(
        _ directory: DataDirectory,
        _ settings: Settings,
        _ body: (inout MosquittoClient) throws -> Value
    ) throws -> Value {
        let address = address(directory, settings)
        let options = try options(address, directory, settings)
        do {
            return try lend(options, body)
        } catch let error as MosquittoError {
            throw unreachable(directory, address, "\(error)")
        }
    }

    /// Subscribes and hands over each message that is a JSON object, with its topic, until `count` have
    /// come or the connection ends; what can't be read is passed over.
    ///
    /// - Throws: A `Problem` where the broker can't be reached.
    package static func follow(
        _ filters: [String],
        _ directory: DataDirectory,
        _ settings: Settings,
        count: Int?,
        _ show: (_ topic: String, _ body: JSONObject) -> Void
    ) throws {
        var left = count ?? .max
        try connect(directory, settings) { client in
            try client.subscribe(filters)
            var intake = Intake()
            while left > 0 {
                try client.receive(
                    upTo: 100,
                    linger: .zero,
                    wait: .milliseconds(500),
                    into: &intake
                )
                for delivery in intake.deliveries where left > 0 {
                    guard let body = try? Payload.object(intake.bytes[delivery.payload]) else {
                        continue
                    }
                    show(String(decoding: intake.bytes[delivery.topic], as: UTF8.self), body)
                    left -= 1
                }
                try client.flush()
            }
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

    /// Returns the address of the running service's broker: the port from this command's flags, else from
    /// `ready.json`, else as configured.
    package static func address(
        _ directory: DataDirectory,
        _ settings: Settings
    ) -> (host: String, port: Int) {
        let ready = TextFile.readBytes(directory.ready).flatMap { try? JSONValue.parse($0) }
        let port = ready?.objectValue?["mqttPort"]?.intValue.map { Int($0) }
        let isGiven = settings.entries.contains { entry in
            entry.setting.key == "mqtt.port" && entry.origin == .flag
        }
        return (settings.mqttHost, isGiven ? settings.mqttPort : port ?? settings.mqttPort)
    }

    /// Returns how `service:tools` connects, under a client id of its own.
    ///
    /// - Throws: A `Problem` where the password's file cannot be read.
    package static func options(
        _ address: (host: String, port: Int),
        _ directory: DataDirectory,
        _ settings: Settings
    ) throws -> ConnectionOptions {
        var options = ConnectionOptions(
            host: address.host,
            port: address.port,
            clientID: "svc.tools." + Sodium.randomSecret().prefix(12)
        )
        options.username = "service:tools"
        options.password = try SecretFile.read(directory.toolsSecret)
        options.cleanStart = true
        options.sessionExpirySeconds = 0
        options.connectTimeout = .seconds(5)
        options.tls = settings.mqttTLS
        return options
    }

    private static func unreachable(
        _ directory: DataDirectory,
        _ address: (host: String, port: Int),
        _ why: String
    ) -> Problem {
        Problem(
            .notRunning,
            "no broker admits this command at \(address.host):\(address.port)",
            at: "\(address.host):\(address.port)",
            why: why,
            cures: [
                .init("lamplighter up --data '\(directory.path)'", "start the service"),
                .init("lamplighter doctor --data '\(directory.path)'", "look for what is wrong"),
            ]
        )
    }
}

extension Settings {
    /// The TLS options for the broker; nil where no CA is configured.
    package var mqttTLS: ConnectionOptions.TLS? {
        mqttCAFile.map {
            ConnectionOptions.TLS(
                caFile: $0,
                certificateFile: mqttCertificateFile,
                keyFile: mqttKeyFile
            )
        }
    }
}
