import Files
package import Mosquitto
import ServiceSettings
import Sodium

/// The access of the workers and the tools to the broker.
package enum BrokerAccess {
    /// Returns the common options of all workers' connections.
    ///
    /// - Throws: A `Problem` where the password's file cannot be read.
    package static func workers(_ context: RunContext) throws -> ConnectionOptions {
        try options(context)
    }

    /// Returns how the console watches, under a client id of its own.
    ///
    /// - Throws: A `Problem` where a file cannot be read.
    package static func console(_ context: RunContext) throws -> ConnectionOptions {
        var options = try options(context)
        options.clientID = "svc.console." + Sodium.randomSecret().prefix(12)
        (options.username, options.password) = ("service:console", context.secrets.console)
        (options.cleanStart, options.sessionExpirySeconds) = (true, 0)
        return options
    }

    private static func options(_ context: RunContext) throws -> ConnectionOptions {
        let settings = context.settings
        var options = ConnectionOptions(
            host: settings.mqttHost,
            port: context.ports.mqtt,
            clientID: ""
        )
        options.username = context.ownsBroker ? "service:lamplighter" : settings.mqttUsername
        options.password = context.secrets.service
        if !context.ownsBroker, let path = settings.mqttPasswordFile {
            options.password = try SecretFile.read(path)
        }
        if !context.ownsBroker, let caFile = settings.mqttCAFile {
            options.tls = .init(
                caFile: caFile,
                certificateFile: settings.mqttCertificateFile,
                keyFile: settings.mqttKeyFile
            )
        }
        return options
    }
}
