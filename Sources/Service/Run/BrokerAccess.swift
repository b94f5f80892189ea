import Files
package import Mosquitto
import ServiceSettings

/// The access of the workers and the tools to the broker.
package enum BrokerAccess {
    /// Returns the common options of all workers' connections.
    ///
    /// - Throws: A `Problem` where the password's file cannot be read.
    package static func workers(_ context: RunContext) throws -> ConnectionOptions {
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
