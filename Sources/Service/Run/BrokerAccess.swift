import Files
package import Mosquitto
import ServiceSettings
import Sodium

/// The access of the workers and the tools to the broker.
package enum BrokerAccess {
    /// Returns the common options of all workers' connections.
    ///
    /// - Throws: A `Problem` if the password's file can't be read.
    package static func workers(_ context: RunContext) throws -> ConnectionOptions {
        let settings = context.settings
        var options = ConnectionOptions(host: settings.mqttHost, port: context.ports.mqtt, clientID: "")
        options.username = context.ownsBroker ? "service:lamplighter" : settings.mqttUsername
        options.password = context.secrets.service
        guard !context.ownsBroker else { return options }
        if let path = settings.mqttPasswordFile { options.password = try SecretFile.read(path) }
        options.tls = settings.mqttTLS
        return options
    }

    /// Returns the options of the console's connection, which has a client id of its own.
    ///
    /// - Throws: A `Problem` if a file can't be read.
    package static func console(_ context: RunContext) throws -> ConnectionOptions {
        var options = try workers(context)
        options.clientID = "svc.console." + Sodium.randomSecret().prefix(12)
        (options.username, options.password) = ("service:console", context.secrets.console)
        (options.cleanStart, options.sessionExpirySeconds) = (true, 0)
        return options
    }
}
