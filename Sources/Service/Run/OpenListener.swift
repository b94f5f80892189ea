import Logging
import ServiceSettings

/// A listener without TLS that other machines reach, which only the setting `insecure` allows.
struct OpenListener: Sendable, Equatable {
    /// What is served there, as the banner names it.
    let name: String
    /// The address that it listens on, and its port.
    let address: String

    /// Both, for a person.
    var text: String { "\(name) \(address)" }

    /// Returns those of a run.
    ///
    /// A broker that is not the service's own listens where its own configuration says.
    static func all(
        _ settings: Settings,
        _ ports: ListenerPorts,
        ownsBroker: Bool
    ) -> [OpenListener] {
        let plain: [(name: String, host: String, port: Int?)] = [
            ("mqtt", settings.mqttHost, ownsBroker ? ports.mqtt : nil),
            ("websocket", settings.httpHost, ports.webSocket),
            ("http", settings.httpHost, ports.http), ("health", settings.healthHost, ports.health),
        ]
        return plain.compactMap { name, host, port in
            guard let port, !LocalHosts.isLoopback(host) else { return nil }
            return OpenListener(name: name, address: Banner.address(host, port: port))
        }
    }

    /// Writes a line of the log that names them, if there are any.
    static func warn(of open: [OpenListener], by logger: Logger) {
        guard !open.isEmpty else { return }
        logger.warning(
            "Other machines reach listeners without TLS: secrets go over the network in clear",
            metadata: ["listeners": .array(open.map { "\($0.text)" })]
        )
    }
}
